import { quantileSorted } from 'simple-statistics';
import { sum } from '../../lib/collections.ts';

/** A distribution of numbers; quantiles are interpolated linearly (R's type 7, NumPy's default). */
export type Distribution = Readonly<Record<'n' | 'mean' | keyof typeof QUANTILES, number>>;

/** Quantiles of a distribution by name. */
export const QUANTILES = {
  min: 0,
  p10: 0.1,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  max: 1,
} as const;

/** The distribution of some numbers; `null` if there are none. */
export function distribute(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const named = Object.entries(QUANTILES);
  const quantiles = named.map(([name, at]) => [name, quantileSorted(sorted, at)]);
  const mean = sum(values) / values.length;
  return { n: values.length, mean, ...Object.fromEntries(quantiles) } as Distribution;
}
