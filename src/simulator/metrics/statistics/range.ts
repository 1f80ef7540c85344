/** What a number cannot lie beyond; an interval that rests on few observations reaches farther. */

import type { Interval } from './interval.ts';

/** From none to all. */
export const SHARE: Interval = { low: 0, high: 1 };

/** From none on. */
export const AMOUNT: Interval = { low: 0, high: Infinity };

/** What the difference of two numbers of a range cannot lie beyond. */
export function rangeOfDifference({ low, high }: Interval): Interval {
  return { low: low - high, high: high - low };
}

/** The part of an interval that numbers of a range can lie in. */
export function clip({ low, high }: Interval, range: Interval): Interval {
  const inRange = (value: number) => Math.min(range.high, Math.max(range.low, value));
  return { low: inRange(low), high: inRange(high) };
}
