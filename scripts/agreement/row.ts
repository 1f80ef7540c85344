/** One number that judges, held against cases that people have labelled. */

/** One line of the table of agreement. */
export interface AgreementRow {
  /** The number that judges, and which cases it is held against. */
  readonly number: string;
  readonly cases: number;
  /** Cases in which the number says what the label says. */
  readonly agree: number;
  /** The share of the cases in which it has to agree; absent for a baseline. */
  readonly wanted?: number;
}

/** Tests if a line is as wanted. One without cases shows nothing, so that it is not. */
export function isAsWanted({ cases, agree, wanted }: AgreementRow): boolean {
  return wanted === undefined || (cases > 0 && agree >= wanted * cases);
}
