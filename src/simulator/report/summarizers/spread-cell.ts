import { UNKNOWN } from '../numbers.ts';
import { shareCell } from '../statistics/cells.ts';
import type { IntervalEstimate } from './summarizers-report.ts';

const PERCENT = 100;
/** Intervals that are narrower have ends with a tenth. */
const NARROW = 0.05;

/** A share with its interval, in percent. */
export function spreadCell({ mean, low, high }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  if (low === null || high === null || low === high) return shareCell(mean);
  const digits = high - low < NARROW ? 1 : 0;
  const [from, to] = [low, high].map((end) => (PERCENT * end).toFixed(digits));
  return `${shareCell(mean)} (${from}–${to})`;
}
