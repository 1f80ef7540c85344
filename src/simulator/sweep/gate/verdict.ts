import type { Pair } from '../../metrics/statistics/pair.ts';

/** A number as it was and as it is, with the single runs behind it where it stands for several. */
export interface Known {
  readonly baseline: number;
  readonly now: number;
  readonly pairs?: readonly Pair[];
}

/** What a gate says of a number. */
export type GateVerdict =
  | { readonly state: 'passed' }
  /** Words that follow "expected" and "got". */
  | { readonly state: 'failed'; readonly expected: string; readonly got: string }
  | { readonly state: 'unscored' }
  /** The numbers are none that the gate can be asked of. Words that follow "expected" and "got". */
  | { readonly state: 'undecided'; readonly expected: string; readonly got: string };

/** What is said of a number that may stand. */
export const PASSED: GateVerdict = { state: 'passed' };
