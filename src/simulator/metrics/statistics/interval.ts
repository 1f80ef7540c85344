/** Source, where no other is given: evaluation design, section 9.5. */

import {
  bisect,
  errorFunction,
  mean,
  quantileSorted,
  sampleStandardDeviation,
} from 'simple-statistics';

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

export interface Proportion {
  readonly hits: number;
  readonly of: number;
}

/** Share of samples whose interval is to hold the true value, everywhere in reports. */
export const CONFIDENCE = 0.95;

/** Observations below which nothing can be said of their spread. */
export const LEAST_OBSERVATIONS = 2;

const RULE_OF_THREE = 3;

export const SHARE: Interval = { low: 0, high: 1 };

export const AMOUNT: Interval = { low: 0, high: Infinity };

/** Farther out than any quantile that a report asks for. */
const FARTHEST_NORMAL = 10;
const FARTHEST_T = 1e6;
const MOST_BISECTIONS = 200;
const TOLERANCE = 1e-9;

/** The interval between equal tails of resamples. Source: Hesterberg (2015), What Teachers Should Know About the Bootstrap, section 4.2. */
export function percentileInterval(
  resampled: readonly number[] | Float64Array,
  observations: number,
): Interval {
  const sorted = Array.from(Float64Array.from(resampled).toSorted());
  // Those of few observations are cut off as much farther out as Student's t lies beyond the normal.
  const t = tQuantile((1 + CONFIDENCE) / 2, observations - 1);
  const tail = normalShareBelow(-spreadLackedBy(observations) * t);
  return { low: quantileSorted(sorted, tail), high: quantileSorted(sorted, 1 - tail) };
}

/** How much more observations vary than resamples; of two at least. */
export function spreadLackedBy(observations: number): number {
  return Math.sqrt(observations / (observations - 1));
}

/** Student's t interval of a mean; `null` where there are too few values. */
export function tInterval(values: readonly number[]): Interval | null {
  if (values.length < LEAST_OBSERVATIONS) return null;
  const centre = mean([...values]);
  const reach = errorOf(values) * tQuantile((1 + CONFIDENCE) / 2, values.length - 1);
  return { low: centre - reach, high: centre + reach };
}

/** Two-sided p-value of a mean against 0; of two values at least. */
export function tPValue(values: readonly number[]): number {
  const centre = Math.abs(mean([...values]));
  const error = errorOf(values);
  if (error === 0) return centre === 0 ? 1 : 0;
  return 1 - centralShareOfT(centre / error, values.length - 1);
}

/** Wilson's interval of a rate. */
export function wilsonInterval({ hits, of }: Proportion, confidence = CONFIDENCE): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const z = normalQuantile((1 + confidence) / 2);
  const rate = hits / of;
  const shrink = 1 + z ** 2 / of;
  const centre = (rate + z ** 2 / (2 * of)) / shrink;
  const reach = (z / shrink) * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2));
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}

/** The highest rate that so many trials without a violation leave possible, at 95 %. */
export function ruleOfThree(trials: number): number {
  return trials === 0 ? 1 : Math.min(1, RULE_OF_THREE / trials);
}

/** The range of differences of numbers of a range. */
export function rangeOfDifference({ low, high }: Interval): Interval {
  return { low: low - high, high: high - low };
}

/** An interval within a range. */
export function clip({ low, high }: Interval, range: Interval): Interval {
  const inRange = (value: number) => Math.min(range.high, Math.max(range.low, value));
  return { low: inRange(low), high: inRange(high) };
}

/** The quantile of the standard normal distribution. */
export function normalQuantile(share: number): number {
  const beyond = (z: number) => normalShareBelow(z) - share;
  return bisect(beyond, -FARTHEST_NORMAL, FARTHEST_NORMAL, MOST_BISECTIONS, TOLERANCE);
}

/** The quantile of Student's t distribution, for a share above a half. */
export function tQuantile(share: number, degreesOfFreedom: number): number {
  const beyond = (t: number) => centralShareOfT(t, degreesOfFreedom) - (2 * share - 1);
  return bisect(beyond, 0, FARTHEST_T, MOST_BISECTIONS, TOLERANCE);
}

/** The share of Student's t distribution between -t and t. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
export function centralShareOfT(t: number, degreesOfFreedom: number): number {
  const angle = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const isOdd = degreesOfFreedom % 2 === 1;
  if (degreesOfFreedom === 1) return (2 * angle) / Math.PI;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let series = term;
  for (let k = isOdd ? 2 : 1; k <= degreesOfFreedom - 3; k += 2) {
    term *= (k / (k + 1)) * cosine ** 2;
    series += term;
  }
  const part = Math.sin(angle) * series;
  return isOdd ? (2 / Math.PI) * (angle + part) : part;
}

function normalShareBelow(z: number): number {
  return (1 + errorFunction(z / Math.SQRT2)) / 2;
}

function errorOf(values: readonly number[]): number {
  return sampleStandardDeviation([...values]) / Math.sqrt(values.length);
}
