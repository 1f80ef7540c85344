/**
 * How surprising a difference is where there is none: two-sided, from resampled differences, never 0 and
 * never above 1. Source: evaluation design, section 9.5, (b + 1) / (B + 1).
 */
export function bootstrapPValue(resampled: readonly number[] | Float64Array): number {
  let notAbove = 0;
  let notBelow = 0;
  for (const value of resampled) {
    if (value <= 0) notAbove += 1;
    if (value >= 0) notBelow += 1;
  }
  return Math.min(1, (2 * (Math.min(notAbove, notBelow) + 1)) / (resampled.length + 1));
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
