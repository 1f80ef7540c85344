import { badValue } from '../../simulator/bad-value.ts';

/** Which whole numbers an option takes, both ends among them. */
export interface WholeRange {
  /** By default 1. */
  readonly least?: number;
  /** By default the largest number that is exact. */
  readonly most?: number;
}

/** A whole number from the command line. Throws `HarnessError` at anything else, and outside of its range. */
export function parseWhole(
  option: string,
  text: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: WholeRange = {},
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw badValue(option, `a whole number ${range}`, text);
}

/** The same of an option that may be absent. */
export function parseWholeIfGiven(
  option: string,
  text: string | undefined,
  range?: WholeRange,
): number | undefined {
  return text === undefined ? undefined : parseWhole(option, text, range);
}
