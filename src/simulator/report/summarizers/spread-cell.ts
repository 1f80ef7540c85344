import { formatDifference } from '../amounts.ts';
import { UNKNOWN } from '../numbers.ts';
import { shareCell } from '../statistics/cells.ts';
import type { IntervalEstimate } from './summarizers-report.ts';

const PERCENT = 100;
/** Intervals that are narrower have ends with a tenth. */
const NARROW = 0.05;
const NEGATIVE_ZERO = /^-(?=[0.]+$)/;

/** A share with its interval, in percent. */
export function spreadCell({ mean, low, high }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  const ends = endsOf({ low, high });
  return ends === undefined ? shareCell(mean) : `${shareCell(mean)} (${ends.join('–')})`;
}

/** A difference of two shares with its interval, in points; a dash between its ends would read as a sign. */
export function pointsCell({ mean, low, high }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  const shown = formatDifference(mean, 'ratio');
  const ends = endsOf({ low, high });
  return ends === undefined ? shown : `${shown} (${ends.join(' … ')})`;
}

/** In percent; absent where there are none, or both are the same. */
function endsOf({ low, high }: Pick<IntervalEstimate, 'low' | 'high'>) {
  if (low === null || high === null || low === high) return undefined;
  const digits = high - low < NARROW ? 1 : 0;
  return [low, high].map((end) => (PERCENT * end).toFixed(digits).replace(NEGATIVE_ZERO, ''));
}
