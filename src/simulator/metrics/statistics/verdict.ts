import { isAtMost } from './at-most.ts';
import type { Interval } from './interval.ts';

/** What an interval says of a difference. */
export type Verdict = 'lower' | 'higher' | 'equivalent' | 'within noise' | 'too few';

/** Where no difference lies, and how far from it a difference is none in practice. */
export interface NoDifference {
  readonly at: number;
  /** The region of practical equivalence. Source: evaluation design, section 9.5. */
  readonly region?: Interval;
}

/** A ratio of costs that differs by at most 5 % is none in practice. Source: evaluation design, section 9.5. */
export const SAME_COST: NoDifference = { at: 1, region: { low: 0.95, high: 1.05 } };

/** What was kept differs by at most two points, or not in practice. Source: evaluation design, section 9.5. */
export const SAME_RETENTION: NoDifference = { at: 0, region: { low: -0.02, high: 0.02 } };

/** Two amounts that are equal. */
export const SAME_AMOUNT: NoDifference = { at: 0 };

/** What an interval says: nothing for certain where it holds both a difference and none. */
export function judge(interval: Interval | null, { at, region }: NoDifference): Verdict {
  if (interval === null) return 'too few';
  const { low, high } = region ?? { low: at, high: at };
  if (isAtMost(low, interval.low) && isAtMost(interval.high, high)) return 'equivalent';
  if (!isAtMost(at, interval.high)) return 'lower';
  return isAtMost(interval.low, at) ? 'within noise' : 'higher';
}

/** What is said of the same difference with the other sign. */
export function oppositeOf(verdict: Verdict): Verdict {
  if (verdict === 'lower') return 'higher';
  return verdict === 'higher' ? 'lower' : verdict;
}
