import { mean, sampleStandardDeviation } from 'simple-statistics';
import { CONFIDENCE, type Interval, LEAST_OBSERVATIONS } from './interval.ts';
import { centralShareOfT, tQuantile } from './quantiles.ts';

/** Student's t interval of a mean; `null` where there are too few values. */
export function tInterval(values: readonly number[]): Interval | null {
  if (values.length < LEAST_OBSERVATIONS) return null;
  const centre = mean([...values]);
  const reach = errorOf(values) * tQuantile((1 + CONFIDENCE) / 2, values.length - 1);
  return { low: centre - reach, high: centre + reach };
}

/** How surprising a mean is where the true one is 0, two-sided; of at least two values. */
export function tPValue(values: readonly number[]): number {
  const centre = Math.abs(mean([...values]));
  const error = errorOf(values);
  if (error === 0) return centre === 0 ? 1 : 0;
  return 1 - centralShareOfT(centre / error, values.length - 1);
}

function errorOf(values: readonly number[]): number {
  return sampleStandardDeviation([...values]) / Math.sqrt(values.length);
}
