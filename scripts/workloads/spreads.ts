import { valueAt } from '../../src/simulator/scenario/workload/draw.ts';
import type { Quantiles } from './statistics.ts';
import type { Spread } from '../../src/simulator/scenario/workload/workload.ts';
import { bendTo } from '../../src/simulator/scenario/workload/fit.ts';

const SHARES = { p10: 0.1, p25: 0.25, p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 };
/** Below the first tenth, values go down to this part of it. */
const LEAST_OF_FIRST = 0.5;
const Z_90 = 1.281_552;
const Z_99 = 2.326_348;
const Z_LAST = 3;
const ROUNDING = 1_000;
/** Pairs of shares that a sum of two spreads is worked out from, each way. */
const SUM_STEPS = 200;

/** The spread of quantiles; of `emptyShare`, the least are nothing. */
export function spreadOf(quantiles: Quantiles, emptyShare = 0): Spread {
  const points = Object.entries(SHARES).flatMap(([name, share]) => {
    const value = quantiles[name as keyof typeof SHARES];
    return value === undefined ? [] : [[share, value] as const];
  });
  const [[, first] = [0, 0], [, second] = [0, 0]] = points;
  const least = first === second ? first : first * LEAST_OF_FIRST;
  const start: Spread['points'] =
    emptyShare > 0
      ? [
          [0, 0],
          [emptyShare, 0],
        ]
      : [[0, least]];
  const known = points.filter(([share]) => share > emptyShare);
  const spread = { n: quantiles.n, points: [...start, ...known] };
  return quantiles.mean === undefined ? spread : bendTo(spread, quantiles.mean);
}

/** The spread of whole numbers from 0 on that were seen so many times each. */
export function counted(times: readonly number[]): Spread {
  const n = times.reduce((sum, each) => sum + each, 0);
  let seen = 0;
  const points = times.flatMap((each, value) => {
    const below = rounded(seen / n);
    seen += each;
    return [[below, value] as const, [rounded(seen / n), value] as const];
  });
  return { n, points };
}

/** A log-normal spread of that median and ninetieth percentile. */
export function logNormal(p50: number, p90: number): Spread {
  const spread = Math.log(Math.max(1, p90 / p50)) / Z_90;
  const at = (z: number) => rounded(p50 * Math.exp(spread * z));
  return {
    points: [
      [0, at(-Z_90)],
      [0.5, p50],
      [0.9, p90],
      [0.99, at(Z_99)],
      [1, at(Z_LAST)],
    ],
  };
}

/** How sums of a number of each spread lie, if they know nothing of each other. */
export function sumOf(a: Spread, b: Spread): Spread {
  const shares = Array.from({ length: SUM_STEPS }, (_, index) => (index + 0.5) / SUM_STEPS);
  const sums = shares
    .flatMap((share) => shares.map((other) => valueAt(a, share) + valueAt(b, other)))
    .toSorted((x, y) => x - y);
  const at = (share: number) => rounded(sums[Math.floor(share * (sums.length - 1))] ?? 0);
  return { points: [0, ...Object.values(SHARES)].map((share) => [share, at(share)] as const) };
}

/** All values times a factor. */
export function scaled({ points, bend }: Spread, factor: number): Spread {
  const larger = points.map(([share, value]) => [share, rounded(value * factor)] as const);
  return { points: larger, ...(bend !== undefined && { bend }) };
}

/** A number without what no corpus is large enough for. */
export function rounded(value: number): number {
  return Math.round(value * ROUNDING) / ROUNDING;
}
