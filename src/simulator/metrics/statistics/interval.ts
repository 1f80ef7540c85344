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

/** Resamples of few observations vary too little: they are cut off as much farther out as Student's t lies beyond the normal. */
export function spreadLackedBy(observations: number): number {
  const known = Math.max(observations, LEAST_OBSERVATIONS);
  return Math.sqrt(known / (known - 1));
}

function tailFor(observations: number): number {
  const known = Math.max(observations, LEAST_OBSERVATIONS);
  return normalShareBelow(-spreadLackedBy(known) * tQuantile((1 + CONFIDENCE) / 2, known - 1));
}
