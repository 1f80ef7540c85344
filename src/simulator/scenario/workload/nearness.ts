import { firstAtLeast } from '../../lib/collections.ts';
import {
  cacheReadShareOf,
  contentTokensOfSample,
  contextsOf,
  countFullCompactions,
  duplicateShareOf,
  maxContextTokensOf,
  outputTokensOf,
  rereadShareOf,
} from '../../session/statistics/pool.ts';
import type { SessionSample, StepSample } from '../../session/statistics/sample-session.ts';
import { distribute, type Distribution } from '../../session/statistics/distribution.ts';
import { PERCENT, valueAt } from './draw.ts';
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

type NumbersOf = (samples: readonly SessionSample[]) => readonly number[];
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

const checked: Readonly<Record<CheckedFigure, NumbersOf>> = {
  toolOutputTokens: (samples) => samples.flatMap(({ calls }) => outputTokensOf(calls)),
  stepsPerTurn: (samples) => samples.flatMap(({ turns }) => turns.map(({ steps }) => steps)),
  contentTokensPerTurn: (samples) =>
    samples.flatMap(({ turns }) => turns.map(({ contentTokens }) => contentTokens)),
  outputsPerSession: (samples) => samples.map(({ calls }) => calls.length),
  stepsPerSession: (samples) => samples.map(({ steps }) => steps.length),
  contentTokensPerSession: (samples) => samples.map(contentTokensOfSample),
  maxContextTokens: (samples) => samples.flatMap((sample) => maxContextTokensOf(sample) ?? []),
  growthTokens: stepNumbers(({ growthTokens }) => growthTokens),
  outputTokensPerStep: stepNumbers(({ outputTokens }) => outputTokens),
  compactionsPerSession: (samples) => samples.map(countFullCompactions),
  cacheReadPercent: percents(cacheReadShareOf),
  repeatedReadPercent: percents(rereadShareOf),
  duplicateOutputPercent: percents(duplicateShareOf),
};

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
  const checks = Object.entries(workload.checks).map(
    ([figure, spread]) => [figure, checked[figure as CheckedFigure](samples), spread] as const,
  );
  const all = [...checks, ...drawnFigures(samples, workload), ...toolFigures(samples, workload)];
  return all.flatMap(([figure, values, spread]) => compareNumbers(figure, values, spread) ?? []);
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

function drawnFigures(
  samples: readonly SessionSample[],
  { turnsPerSession, callsPerTurn, texts, gapsSeconds, reuse, context }: Workload,
): readonly Figure[] {
  const all = (of: (sample: SessionSample) => readonly number[]) => samples.flatMap(of);
  return [
    ['turnsPerSession', samples.map(({ turns }) => turns.length), turnsPerSession],
    ['callsPerTurn', all(({ turns }) => turns.map(({ toolCalls }) => toolCalls)), callsPerTurn],
    ['userTokens', all(({ textTokens }) => textTokens.user), texts.userTokens],
    ['assistantTokens', all(({ textTokens }) => textTokens.assistant), texts.assistantTokens],
    ['reasoningTokens', all(({ textTokens }) => textTokens.reasoning), texts.reasoningTokens],
    ['secondsBeforeUser', all(({ gaps }) => gaps.beforeUser), gapsSeconds.beforeUser],
    ['secondsOfModel', all(({ gaps }) => gaps.model), gapsSeconds.model],
    ['secondsOfToolsAndModel', all(({ gaps }) => gaps.toolsAndModel), gapsSeconds.toolsAndModel],
    ['rereadTokens', all((sample) => sample.reuse.rereads), reuse.rereadTokens],
    ['changeTokens', all((sample) => sample.reuse.changes), reuse.changeTokens],
    ['firstStepTokens', all((sample) => contextsOf(sample).slice(0, 1)), context.firstStepTokens],
  ];
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

function stepNumbers(of: (step: StepSample) => number | undefined): NumbersOf {
  return (samples) =>
    samples.flatMap(({ steps }) => steps.flatMap((step) => of(step) ?? []).filter((n) => n > 0));
}

function percents(shareOf: (sample: SessionSample) => number | null | undefined): NumbersOf {
  return (samples) => {
    const shares = samples.flatMap((sample) => shareOf(sample) ?? []);
    return shares.map((share) => PERCENT * share);
  };
}
