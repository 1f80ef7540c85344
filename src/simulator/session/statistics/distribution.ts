import { quantileSorted } from 'simple-statistics';
import { sum } from '../../lib/collections.ts';

/** How numbers spread; quantiles lie between two numbers in proportion (R's type 7, NumPy's default). */
export interface Distribution {
  readonly n: number;
  readonly mean: number;
  readonly min: number;
  readonly p10: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Shares at which a distribution is told, by the name of their quantile. */
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
} as const satisfies Partial<Record<keyof Distribution, number>>;

/** The spread of some numbers; `null` where there are none. */
export function distribute(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => quantileSorted(sorted, share);
  return {
    n: values.length,
    mean: sum(values) / values.length,
    min: at(QUANTILES.min),
    p10: at(QUANTILES.p10),
    p25: at(QUANTILES.p25),
    p50: at(QUANTILES.p50),
    p75: at(QUANTILES.p75),
    p90: at(QUANTILES.p90),
    p95: at(QUANTILES.p95),
    p99: at(QUANTILES.p99),
    max: at(QUANTILES.max),
  };
}
