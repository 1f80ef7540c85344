import { spreadLackedBy } from './interval.ts';
import { centralShareOfT, normalQuantile } from './quantiles.ts';

/**
 * How surprising a difference is where there is none: two-sided, from differences of resamples of so many independent
 * observations, never 0 and never above 1. The share that lies beyond is that of a normal distribution, which is
 * narrower than Student's t. Source: evaluation design, section 9.5, (b + 1) / (B + 1).
 */
export function bootstrapPValue(
  resampled: readonly number[] | Float64Array,
  observations: number,
): number {
  let notAbove = 0;
  let notBelow = 0;
  for (const value of resampled) {
    if (value <= 0) notAbove += 1;
    if (value >= 0) notBelow += 1;
  }
  const beyond = (Math.min(notAbove, notBelow) + 1) / (resampled.length + 1);
  if (beyond >= 1 / 2) return 1;
  const t = normalQuantile(1 - beyond) / spreadLackedBy(observations);
  return 1 - centralShareOfT(t, observations - 1);
}

/**
 * P-values of several tests adjusted so that one of them is wrong as rarely as a single one, in the order given;
 * Holm's method. Source: evaluation design, section 9.5.
 */
export function adjustByHolm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, index) => ({ p, index })).toSorted((one, other) => one.p - other.p);
  const adjusted = pValues.map(() => 1);
  let largest = 0;
  for (const [rank, { p, index }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}
