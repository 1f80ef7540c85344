import { firstAtLeast } from '../../lib/collections.ts';
import { distribute, type Distribution } from '../../session/statistics/distribution.ts';
import { outputTokensOf } from '../../session/statistics/pool.ts';
import type { SessionSample } from '../../session/statistics/sample-session.ts';
import { valueAt } from './draw.ts';
import { type FigureName, figures, numbersOf, type SpreadOf } from './figures.ts';
import type { CheckedFigure, Spread, Workload } from './workload.ts';

export interface Nearness {
  readonly figure: string;
  readonly n: number;
  /** Of the workload; `null` where unknown. */
  readonly workloadN: number | null;
  /** Largest difference of cumulative shares at the values of the workload (Kolmogorov and Smirnov). */
  readonly distance: number;
  /** Exceeded by chance once in twenty times; 1 where numbers are too few. */
  readonly chanceDistance: number;
  readonly p50: Pair;
  readonly p90: Pair;
}

/** A quantile on both sides; of the workload `null` where nothing tells. */
export interface Pair {
  readonly workload: number | null;
  readonly generated: number;
}

type Figure = readonly [figure: string, values: readonly number[], spread: Spread];

/** The quantile of the Kolmogorov distribution that one in twenty exceeds. */
const KOLMOGOROV_95 = 1.358;
/** Points outside of these are ends that were set, not observed. */
const LEAST_SHARE = 0.05;
const MOST_SHARE = 0.995;
/** Values are counted in quarters of a token, and quantiles are rounded. */
const TOLERANCE = 0.126;
const SHARES = { p50: 0.5, p90: 0.9 } as const;
const MIN_CALLS = 20;

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

/** Compares sessions with their workload, one figure a row. */
export function compareSamples(
  samples: readonly SessionSample[],
  workload: Workload,
): readonly Nearness[] {
  const drawn = Object.entries(figures).flatMap(([name, figure]): readonly Figure[] => {
    const [, of]: readonly [unknown, SpreadOf?] = figure;
    const spread = of === undefined ? workload.checks[name as CheckedFigure] : of(workload);
    return spread === undefined ? [] : [[name, numbersOf(name as FigureName, samples), spread]];
  });
  return [...drawn, ...toolFigures(samples, workload)].flatMap(
    ([figure, values, spread]) => compareNumbers(figure, values, spread) ?? [],
  );
}

/** A value that many numbers share meets any share between those below and up to it. */
function distanceOf(values: readonly number[], { points }: Spread) {
  const sorted = values.toSorted((a, b) => a - b);
  const known = points.filter(([share]) => share >= LEAST_SHARE && share <= MOST_SHARE);
  const distances = known.map(([share, value]) => {
    const below = firstAtLeast(sorted, value - TOLERANCE) / sorted.length;
    const upTo = firstAtLeast(sorted, value + TOLERANCE) / sorted.length;
    return Math.max(below - share, share - upTo, 0);
  });
  return distances.reduce((most, distance) => Math.max(most, distance), 0);
}

function chanceOf(n: number, workloadN = Infinity) {
  return Math.min(1, KOLMOGOROV_95 * Math.sqrt(1 / n + 1 / workloadN));
}

function pairOf(spread: Spread, generated: Distribution, name: keyof typeof SHARES): Pair {
  const share = SHARES[name];
  const [last] = spread.points.at(-1) ?? [0];
  const isKnown = last > share || spread.points.some(([known]) => known === share);
  return { workload: isKnown ? valueAt(spread, share) : null, generated: generated[name] };
}

function toolFigures(samples: readonly SessionSample[], { tools }: Workload): readonly Figure[] {
  const all = samples.flatMap(({ calls }) => calls);
  return Object.entries(tools).flatMap(([name, { outputTokens, argumentTokens }]) => {
    const own = all.filter(({ tool }) => tool === name);
    if (own.length < MIN_CALLS) return [];
    const given = own.map(({ input }) => input.tokens);
    return [
      [`output ${name}`, outputTokensOf(own), outputTokens] as const,
      [`arguments ${name}`, given, argumentTokens] as const,
    ];
  });
}
