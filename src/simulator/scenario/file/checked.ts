/** Comparisons and patterns of expectations, checked when a file is read. */

import { parseComparison, parseTextMatch } from './amounts.ts';
import { describeValue } from './describe-issue.ts';
import type { Comparison, TextMatch } from './expectation.ts';
import type { Path, Places } from './places.ts';

/** A place in a file. */
export interface Spot {
  readonly path: Path;
  readonly places: Places;
}

/** A comparison that some number can meet. */
export function checkedComparison(text: number | string, { path, places }: Spot): Comparison {
  const compare = parseComparison(text);
  if (compare.op !== 'in' || compare.from <= compare.to) return compare;
  throw places.problem(path, 'a range from less to more', describeValue(text));
}

/** A text or a pattern that can be searched for. */
export function checkedMatch(
  text: string,
  op: 'is' | 'contains',
  { path, places }: Spot,
): TextMatch {
  try {
    return parseTextMatch(text, op);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw places.problem(path, 'a pattern', describeValue(text));
  }
}
