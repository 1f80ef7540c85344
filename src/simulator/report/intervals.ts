/** Intervals as they are written everywhere; a dash between two ends would read as a sign. */

import type { Interval } from '../metrics/statistics/interval.ts';

/** Both ends of an interval, as they are shown. */
export function joinEnds(low: string, high: string): string {
  return `${low} … ${high}`;
}

/** Both ends of an interval. */
export function formatEnds({ low, high }: Interval, show: (end: number) => string): string {
  return joinEnds(show(low), show(high));
}

/** A number as it is shown, with the ends of its interval behind it where there is one. */
export function withEnds(
  shown: string,
  interval: Interval | null,
  show: (end: number) => string,
): string {
  return interval === null ? shown : `${shown} (${formatEnds(interval, show)})`;
}

/** The interval of ends that may be unknown. */
export function knownInterval({
  low,
  high,
}: {
  readonly low: number | null;
  readonly high: number | null;
}): Interval | null {
  return low === null || high === null ? null : { low, high };
}
