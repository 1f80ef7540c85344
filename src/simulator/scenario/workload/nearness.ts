import { firstAtLeast } from '../../first-at-least.ts';
import { type Distribution, distribute } from '../../session/statistics/distribution.ts';
import { type Spread, valueAt } from './spread.ts';

/** How near generated numbers come to what they should be like. */
export interface Nearness {
  readonly figure: string;
  /** Generated numbers. */
  readonly n: number;
  /** Numbers that the workload rests on; `null` where that is not known. */
  readonly workloadN: number | null;
  /**
   * The largest difference between the two shares of numbers that are not above a value, at the values that are
   * known of the workload (Kolmogorov and Smirnov).
   */
  readonly distance: number;
  /**
   * A distance that chance alone exceeds once in twenty times, if all numbers were drawn one by one; 1, which nothing
   * exceeds, where they are too few.
   */
  readonly chanceDistance: number;
  readonly p50: Pair;
  readonly p90: Pair;
}

/** A quantile on both sides; of the workload `null` where nothing tells. */
export interface Pair {
  readonly workload: number | null;
  readonly generated: number;
}

/** The quantile of the Kolmogorov distribution that one in twenty exceeds. */
const KOLMOGOROV_95 = 1.358;
/** Points outside of these are ends that were set, not observed. */
const LEAST_SHARE = 0.05;
const MOST_SHARE = 0.995;
/** Values are counted in quarters of a token, and quantiles are rounded. */
const TOLERANCE = 0.126;

const SHARES = { p50: 0.5, p90: 0.9 } as const;

/** Compares numbers with a spread; absent where there are none. */
export function compareNumbers(
  figure: string,
  values: readonly number[],
  spread: Spread,
): Nearness | undefined {
  const generated = distribute(values);
  if (generated === null) return undefined;
  const { n: workloadN } = spread;
  return {
    figure,
    n: values.length,
    workloadN: workloadN ?? null,
    distance: distanceOf(values, spread),
    chanceDistance: chanceOf(values.length, workloadN),
    p50: pairOf(spread, generated, 'p50'),
    p90: pairOf(spread, generated, 'p90'),
  };
}

function chanceOf(n: number, workloadN = Infinity): number {
  return Math.min(1, KOLMOGOROV_95 * Math.sqrt(1 / n + 1 / workloadN));
}

/** At a value that many numbers share, any share between those below and those not above it is met. */
function distanceOf(values: readonly number[], { points }: Spread): number {
  const sorted = values.toSorted((a, b) => a - b);
  const known = points.filter(([share]) => share >= LEAST_SHARE && share <= MOST_SHARE);
  const distances = known.map(([share, value]) => {
    const below = firstAtLeast(sorted, value - TOLERANCE) / sorted.length;
    const upTo = firstAtLeast(sorted, value + TOLERANCE) / sorted.length;
    return Math.max(below - share, share - upTo, 0);
  });
  return distances.reduce((most, distance) => Math.max(most, distance), 0);
}

function pairOf(spread: Spread, generated: Distribution, name: keyof typeof SHARES): Pair {
  const share = SHARES[name];
  const [last] = spread.points.at(-1) ?? [0];
  const isKnown = last > share || spread.points.some(([known]) => known === share);
  return { workload: isKnown ? valueAt(spread, share) : null, generated: generated[name] };
}
