import { quantileSorted } from 'simple-statistics';
import { normalShareBelow, tQuantile } from './quantiles.ts';

/** Where a number lies with the confidence that was asked for. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A number worked out from a sample, with its interval; `null` where the sample is too small for one. */
export interface Estimate {
  readonly value: number;
  readonly interval: Interval | null;
}

/** Share of samples whose interval is to hold the true value, everywhere in reports. */
export const CONFIDENCE = 0.95;

/** Observations below which nothing can be said of their spread. */
export const LEAST_OBSERVATIONS = 2;

/**
 * The interval between two equal tails of what resamples of so many independent observations gave. Sources: evaluation
 * design, section 9.5; for the tails, Hesterberg, What Teachers Should Know About the Bootstrap (2015), section 4.2.
 */
export function percentileInterval(
  resampled: readonly number[] | Float64Array,
  observations: number,
): Interval {
  const sorted = Array.from(Float64Array.from(resampled).toSorted());
  const tail = tailFor(observations);
  return { low: quantileSorted(sorted, tail), high: quantileSorted(sorted, 1 - tail) };
}

/** The interval between two equal tails of values of which there are only some: its ends are among them. */
export function observedInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((one, other) => one - other);
  const atShare = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  const tail = (1 - CONFIDENCE) / 2;
  return { low: atShare(tail), high: atShare(1 - tail) };
}

/** An interval with both ends carried over by an increasing function. */
export function mapInterval(
  interval: Interval | null,
  map: (value: number) => number,
): Interval | null {
  return interval === null ? null : { low: map(interval.low), high: map(interval.high) };
}

/** How much more independent observations vary than resamples of them, of which there are at least two. */
export function spreadLackedBy(observations: number): number {
  return Math.sqrt(observations / (observations - 1));
}

/** Resamples of few observations are cut off as much farther out as Student's t lies beyond the normal. */
function tailFor(observations: number): number {
  const t = tQuantile((1 + CONFIDENCE) / 2, observations - 1);
  return normalShareBelow(-spreadLackedBy(observations) * t);
}
