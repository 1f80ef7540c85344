import type { Interval } from '../../metrics/statistics/interval.ts';
import { formatDifference } from '../amounts.ts';
import { formatFixed } from '../fixed.ts';
import { knownInterval, withEnds } from '../intervals.ts';
import { UNKNOWN } from '../numbers.ts';
import { percentOf } from '../percent.ts';
import { shareCell } from '../statistics/cells.ts';
import type { IntervalEstimate } from './summarizers-report.ts';

/** Intervals that are narrower have ends with a tenth. */
const NARROW = 0.05;

/** A share with its interval, in percent. */
export function spreadCell({ mean, ...ends }: IntervalEstimate): string {
  return mean === null ? UNKNOWN : withPercentEnds(shareCell(mean), knownInterval(ends));
}

/** A difference of two shares with its interval, in points. */
export function pointsCell({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  return withPercentEnds(formatDifference(mean, 'ratio'), knownInterval(ends));
}

/** Without an interval where both of its ends are the same. */
function withPercentEnds(shown: string, interval: Interval | null): string {
  if (interval === null || interval.low === interval.high) return shown;
  const digits = interval.high - interval.low < NARROW ? 1 : 0;
  return withEnds(shown, interval, (end) => formatFixed(percentOf(end), digits));
}
