/** One number that judges, held against cases that people have labelled. */

/** One line of the table of agreement. */
export interface AgreementRow {
  /** The number that judges, and on which cases, as `Facts kept, German`. */
  readonly number: string;
  /** Labelled cases that the line counts. */
  readonly cases: number;
  /** Those in which the number says what the label says. */
  readonly agree: number;
  /** What is wanted of `agree` as a share of `cases`; absent for a baseline, or a line that only informs. */
  readonly wanted?: Wanted;
}

/** A bound for a share; both are inclusive. */
export type Wanted = { readonly atLeast: number } | { readonly atMost: number };

/** Tests if a line is as wanted. A line without cases shows nothing, so that it is not. */
export function isAsWanted({ cases, agree, wanted }: AgreementRow): boolean {
  if (wanted === undefined) return true;
  if (cases === 0) return false;
  const share = agree / cases;
  return 'atLeast' in wanted ? share >= wanted.atLeast : share <= wanted.atMost;
}
