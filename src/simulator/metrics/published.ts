import { known, sum } from '../lib/collections.ts';
import type { TokenPrices } from '../provider/prices.ts';
import { PERCENT } from '../scenario/workload/draw.ts';
import { HIT_THRESHOLDS } from '../scenario/workload/session-shape.ts';
import type {
  Published,
  PublishedNumber,
  PublishedRange,
  PublishedShare,
  PublishedStatistic,
  SessionShape,
  Workload,
} from '../scenario/workload/workload.ts';
import { countFullCompactions } from '../session/statistics/pool.ts';
import type { SessionSample, StepSample } from '../session/statistics/sample-session.ts';
import { type Estimate, percentileInterval, ruleOfThree } from './statistics/interval.ts';
import {
  type BootstrapOptions,
  drawResamples,
  FEW_CLUSTERS,
  groupByCluster,
  type Pair,
  ratioOfTotals,
} from './statistics/mean-difference.ts';

export interface JudgedFigure {
  readonly figure: PublishedNumber | PublishedShare;
  /** `share` is in percent. */
  readonly statistic: PublishedStatistic | 'share';
  readonly published: PublishedRange;
  readonly generated: Estimate | null;
  /** The interval reaches the published range with its tolerance; null without one. */
  readonly isWithin: boolean | null;
}

interface PartOf {
  readonly part: number;
  readonly whole: number;
}

type Trigger = 'user' | 'tools';

interface Placed {
  readonly value: number;
  readonly cluster: number;
}

export interface HitRate {
  /** `null`: where the recording agent compacted. */
  readonly thresholdTokens: number | null;
  readonly generated: HitRates;
  readonly workload: HitRates | null;
  readonly isWithinNoise: boolean | null;
}

export interface HitRates {
  readonly perSession: Estimate;
  readonly perThousandSteps: Estimate;
}

const RATE_RESAMPLES = 1_000;
const THOUSAND = 1_000;

/** Two digits, without being too slow. */
const RESAMPLES = 400;
const SHARES = { p25: 0.25, p50: 0.5, p90: 0.9, p99: 0.99 } as const;

const FIVE_MINUTES = 300;
const HOUR = 3_600;

const partsOf: Readonly<
  Record<PublishedShare, (sample: SessionSample, prices: TokenPrices | undefined) => PartOf>
> = {
  compactingSessions: (sample) => ({ part: Math.min(1, countFullCompactions(sample)), whole: 1 }),
  compactionsAmongTools: (sample) =>
    counted(compactionTriggers(sample), (trigger) => trigger === 'tools'),
  // A compaction makes the context shrink as well.
  shrinkingSteps: (sample) => {
    const { part, whole } = counted(sample.steps, ({ growthTokens = 0 }) => growthTokens < 0);
    return { part: part + countFullCompactions(sample), whole };
  },
  cacheRead: ({ steps }) => cachedOf(steps),
  cacheReadBehindUser: (sample) => cachedOf(stepsBegunBy('user', sample)),
  cacheReadBehindTools: (sample) => cachedOf(stepsBegunBy('tools', sample)),
  waitsUpToFiveMinutes: ({ gaps }) =>
    counted(gaps.beforeUser, (seconds) => seconds <= FIVE_MINUTES),
  waitsUpToAnHour: ({ gaps }) => counted(gaps.beforeUser, (seconds) => seconds <= HOUR),
  spentOnPrefix: ({ steps }, prices) => spentOn('prefix', steps, prices),
  spentOnAppended: ({ steps }, prices) => spentOn('appended', steps, prices),
  spentOnOutput: ({ steps }, prices) => spentOn('output', steps, prices),
};

const numbersOf: Readonly<Record<PublishedNumber, (sample: SessionSample) => readonly number[]>> = {
  requestsPerSession: ({ turns }) => [turns.length],
  toolStepsPerSession: (sample) => [stepsBegunBy('tools', sample).length],
  callsPerSession: ({ calls }) => [calls.length],
  toolStepsPerRequest: ({ turns }) => turns.map(({ steps }) => Math.max(0, steps - 1)),
  callsPerRequest: ({ turns }) => turns.map(({ toolCalls }) => toolCalls),
  callsPerStep: ({ steps }) => steps.map(({ toolCalls }) => toolCalls),
  prefixTokens: ({ steps }) => steps.flatMap(({ cacheReadTokens }) => cacheReadTokens ?? []),
  appendedTokens: ({ steps }) => steps.flatMap((step) => appendedTokensOf(step) ?? []),
  outputTokens: ({ steps }) => steps.flatMap(({ outputTokens }) => outputTokens ?? []),
  growthTokens: ({ steps }) =>
    steps.flatMap(({ growthTokens = 0 }) => (growthTokens > 0 ? growthTokens : [])),
  secondsBeforeUser: ({ gaps }) => gaps.beforeUser,
  compactionsWhereAny: (sample) => [countFullCompactions(sample)].filter((count) => count > 0),
};

/** Published figures beside what sessions come to. */
export function judgePublished(
  samples: readonly SessionSample[],
  published: readonly Published[],
  options: { seed: number; prices: TokenPrices | undefined },
): readonly JudgedFigure[] {
  return published.map((each) => {
    const generated = estimate(samples, each, options) ?? null;
    const { tolerance = 0 } = each;
    const interval = generated?.interval;
    return {
      figure: each.figure,
      statistic: 'statistic' in each ? each.statistic : 'share',
      published: { low: each.low, high: each.high, ...known({ tolerance: each.tolerance }) },
      generated,
      isWithin: interval
        ? interval.low <= each.high + tolerance && each.low - tolerance <= interval.high
        : null,
    };
  });
}

/** A quantile of all clusters' numbers, with an interval where they are not few. Source: evaluation design, section 9.5. */
export function pooledQuantile(
  clusters: readonly (readonly number[])[],
  share: number,
  options: BootstrapOptions,
): Estimate | undefined {
  const sorted = clusters
    .flatMap((values, cluster) => values.map((value): Placed => ({ value, cluster })))
    .toSorted((a, b) => a.value - b.value);
  const value = quantileOf(sorted, share, new Uint32Array(clusters.length).fill(1));
  if (value === undefined) return undefined;
  const known = clusters.filter((values) => values.length > 0);
  if (known.length < FEW_CLUSTERS) return { value, interval: null };
  const resampled: number[] = [];
  drawResamples(clusters.length, options, (drawn) => {
    const times = new Uint32Array(drawn.length);
    for (const cluster of drawn) times[cluster] = (times[cluster] ?? 0) + 1;
    resampled.push(quantileOf(sorted, share, times) ?? value);
  });
  return { value, interval: percentileInterval(resampled, known.length) };
}

export function compareHitRates(
  generated: readonly SessionShape[],
  workload: Workload,
  seed: number,
): readonly HitRate[] {
  const known = workload.sessions ?? [];
  const isObserved = known.length <= (workload.turnsPerSession.n ?? 0);
  return [null, ...HIT_THRESHOLDS].flatMap((thresholdTokens, index) => {
    const hitsOf = ({ compactions, thresholdHits }: SessionShape) =>
      thresholdTokens === null ? compactions : thresholdHits?.[index - 1];
    const own = ratesOf(generated, hitsOf, seed);
    const theirs = ratesOf(known, hitsOf, seed);
    if (own === null) return [];
    const workloadRates = theirs === null || isObserved ? theirs : withoutIntervals(theirs);
    const isWithinNoise = workloadRates && isNear(own, workloadRates);
    return [{ thresholdTokens, generated: own, workload: workloadRates, isWithinNoise }];
  });
}

function estimate(
  samples: readonly SessionSample[],
  published: Published,
  { seed, prices }: Parameters<typeof judgePublished>[2],
): Estimate | undefined {
  const options = { seed, resamples: RESAMPLES };
  if (!('statistic' in published)) {
    const parts = samples.map((sample) => partsOf[published.figure](sample, prices));
    return ratioOf(
      parts.map(({ part, whole }) => ({ part: PERCENT * part, whole })),
      options,
    );
  }
  const numbers = samples.map(numbersOf[published.figure]);
  const { statistic } = published;
  if (statistic !== 'mean') return pooledQuantile(numbers, SHARES[statistic], options);
  const parts = numbers.map((own) => ({ part: sum(own), whole: own.length }));
  return ratioOf(parts, options);
}

function ratioOf(parts: readonly PartOf[], options: BootstrapOptions): Estimate | undefined {
  const told = parts.filter(({ whole }) => whole > 0);
  return ratioOfTotals(
    told.map(({ part, whole }) => ({ a: whole, b: part })),
    options,
  );
}

function quantileOf(sorted: readonly Placed[], share: number, times: Uint32Array) {
  let total = 0;
  for (const { cluster } of sorted) total += times[cluster] ?? 0;
  let rest = share * total;
  for (const { value, cluster } of sorted) {
    rest -= times[cluster] ?? 0;
    if (rest <= 0 && (times[cluster] ?? 0) > 0) return value;
  }
  return undefined;
}

function counted<Thing>(things: readonly Thing[], isPart: (thing: Thing) => boolean): PartOf {
  return { part: things.filter(isPart).length, whole: things.length };
}

function compactionTriggers(sample: SessionSample): readonly Trigger[] {
  const triggers = triggersOf(sample);
  let index = 0;
  return sample.compactions.flatMap(({ kind, stepsBefore }) => {
    if (kind !== 'full') return [];
    index += stepsBefore;
    return triggers[index] ?? [];
  });
}

function stepsBegunBy(wanted: Trigger, sample: SessionSample): readonly StepSample[] {
  const triggers = triggersOf(sample);
  return sample.steps.filter((_, index) => triggers[index] === wanted);
}

/** Turns end with the last step; steps before the first count as begun by tools. */
function triggersOf({ steps, turns }: SessionSample): readonly Trigger[] {
  const firsts = new Set<number>();
  let place = steps.length;
  for (const turn of turns.toReversed()) {
    place -= turn.steps;
    if (turn.steps > 0) firsts.add(place);
  }
  return steps.map((_, index) => (firsts.has(index) ? 'user' : 'tools'));
}

/** Over steps that tell context and cache. */
function cachedOf(steps: readonly StepSample[]): PartOf {
  const told = steps.filter((step) => appendedTokensOf(step) !== undefined);
  return {
    part: sum(told.map(({ cacheReadTokens = 0 }) => cacheReadTokens)),
    whole: sum(told.map(({ contextTokens = 0 }) => contextTokens)),
  };
}

function appendedTokensOf({ contextTokens, cacheReadTokens }: StepSample): number | undefined {
  if (contextTokens === undefined || cacheReadTokens === undefined) return undefined;
  return contextTokens - cacheReadTokens;
}

function spentOn(
  what: 'prefix' | 'appended' | 'output',
  steps: readonly StepSample[],
  prices: TokenPrices | undefined,
): PartOf {
  if (prices === undefined) return { part: 0, whole: 0 };
  const { inputPicoUsd, outputPicoUsd } = prices;
  const { cacheReadPicoUsd = inputPicoUsd, cacheWritePicoUsd = inputPicoUsd } = prices;
  const spent = {
    prefix: cachedOf(steps).part * cacheReadPicoUsd,
    appended: sum(steps.map((step) => appendedTokensOf(step) ?? 0)) * cacheWritePicoUsd,
    output: sum(steps.map(({ outputTokens = 0 }) => outputTokens)) * outputPicoUsd,
  };
  return { part: spent[what], whole: sum(Object.values(spent)) };
}

function ratesOf(
  shapes: readonly SessionShape[],
  hitsOf: (shape: SessionShape) => number | undefined,
  seed: number,
): HitRates | null {
  const told = shapes.flatMap((shape) => {
    const hits = hitsOf(shape);
    const cluster = shape.family && { cluster: shape.family };
    return hits === undefined ? [] : [{ hits, steps: shape.steps, ...cluster }];
  });
  const options = { seed, resamples: RATE_RESAMPLES };
  const rateBy = (sizeOf: (steps: number) => number) => {
    const pairs = told.map(({ hits, steps, ...own }) => ({ ...own, a: sizeOf(steps), b: hits }));
    const rate = ratioOfTotals(pairs, options);
    return rate && withRareHits(rate, pairs);
  };
  const perSession = rateBy(() => 1);
  const perThousandSteps = rateBy((steps) => steps / THOUSAND);
  return perSession && perThousandSteps ? { perSession, perThousandSteps } : null;
}

/** Without a hit, up to the highest rate that so many sessions leave possible. */
function withRareHits(rate: Estimate, pairs: readonly Pair[]): Estimate {
  if (rate.interval === null || rate.value > 0) return rate;
  const sizes = groupByCluster(pairs, ({ a }) => a);
  const size = sum(sizes.flat());
  const hits = ruleOfThree(sizes.length) * sizes.length;
  return { value: 0, interval: { low: 0, high: hits / size } };
}

function withoutIntervals({ perSession, perThousandSteps }: HitRates): HitRates {
  return {
    perSession: { ...perSession, interval: null },
    perThousandSteps: { ...perThousandSteps, interval: null },
  };
}

function isNear(own: HitRates, others: HitRates): boolean | null {
  const isSame = (['perSession', 'perThousandSteps'] as const).map((rate) => {
    const [a, b] = [own[rate].interval, others[rate].interval];
    return a && b && a.low <= b.high && b.low <= a.high;
  });
  return isSame.includes(null) ? null : isSame.every(Boolean);
}
