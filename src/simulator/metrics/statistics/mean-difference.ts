import { mean } from 'simple-statistics';
import { createRandom } from '../../env.ts';
import { addToGroup, sum } from '../../lib/collections.ts';
import {
  centralShareOfT,
  type Estimate,
  type Interval,
  LEAST_OBSERVATIONS,
  normalQuantile,
  percentileInterval,
  spreadLackedBy,
  tInterval,
  tPValue,
} from './interval.ts';
import { judge, SAME_AMOUNT, SAME_COST, type Verdict } from './verdict.ts';

/** How much more the second arm has on average, and how surprising that is. */
export interface MeanDifference extends Estimate {
  readonly pValue: number | null;
}

/** One observation under both arms, on the same session and with the same random numbers. */
export interface Pair {
  readonly a: number;
  readonly b: number;
  /** Of observations that are not independent. */
  readonly cluster?: string;
}

/** How a sample is drawn again and again. */
export interface BootstrapOptions {
  readonly seed: number;
  readonly resamples?: number;
}

/** The geometric mean of cost ratios, or the mean difference of anything else. */
export interface Change {
  readonly kind: 'ratio' | 'difference';
  readonly estimate: Estimate;
  /** `null` of too few. */
  readonly pValue: number | null;
}

/** The cost metric, which is judged by a ratio. */
export const COST_METRIC = 'costUsd';
/** The metric that stands for the cost where there is no price. */
export const UNPRICED_METRIC = 'uncachedTokens';

const SPENDS: readonly string[] = [COST_METRIC, UNPRICED_METRIC];

/** Added to both costs of a pair, so that a free run has a ratio too. */
const RATIO_EPSILON_USD = 1e-6;

/** Below it resamples are too similar, and Student's t is used. */
export const FEW_CLUSTERS = 10;

/** Default number of resamples. */
export const RESAMPLES = 10_000;

/** The mean difference of clusters, by bootstrap; `undefined` without pairs. */
export function pairedMeanDifference(
  pairs: readonly Pair[],
  options: BootstrapOptions,
): MeanDifference | undefined {
  if (pairs.length === 0) return undefined;
  // Sorted, so that resamples are the same in whatever order sessions come.
  const differences = clusterMeans(pairs, differenceOf).toSorted((one, other) => one - other);
  const value = mean([...differences]);
  if (differences.length < LEAST_OBSERVATIONS) return { value, interval: null, pValue: null };
  if (differences.length < FEW_CLUSTERS) return { value, ...ofFew(differences, options) };
  const means = bootstrapMeans(differences, options);
  const { length } = differences;
  return {
    value,
    interval: percentileInterval(means, length),
    pValue: bootstrapPValue(means, length),
  };
}

export function differenceOf({ a, b }: Pair): number {
  return b - a;
}

/** Values of pairs by cluster, in the order of first appearance. */
export function groupByCluster(
  pairs: readonly Pair[],
  valueOf: (pair: Pair) => number,
): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const [index, pair] of pairs.entries()) {
    const key = pair.cluster === undefined ? `pair ${index}` : `cluster ${pair.cluster}`;
    addToGroup(groups, key, valueOf(pair));
  }
  return [...groups.values()];
}

/** The mean of each cluster, one observation each. */
export function clusterMeans(
  pairs: readonly Pair[],
  valueOf: (pair: Pair) => number,
): readonly number[] {
  return groupByCluster(pairs, valueOf).map((values) => mean([...values]));
}

/** The mean of each arm over clusters; 0 of no pairs. */
export function pairMeans(pairs: readonly Pair[]): { readonly a: number; readonly b: number } {
  const meanOf = (valueOf: (pair: Pair) => number) => {
    const means = clusterMeans(pairs, valueOf);
    return sum(means) / Math.max(1, means.length);
  };
  return { a: meanOf(({ a }) => a), b: meanOf(({ b }) => b) };
}

/** The mean of each resample, drawn with replacement. */
export function bootstrapMeans(
  values: readonly number[],
  { seed, resamples = RESAMPLES }: BootstrapOptions,
): Float64Array {
  const means = new Float64Array(resamples);
  drawResamples(values.length, { seed, resamples }, (drawn, index) => {
    let total = 0;
    for (const place of drawn) total += values[place] ?? 0;
    means[index] = total / values.length;
  });
  return means;
}

/** Calls back with each resample of indices; the array is used again. */
export function drawResamples(
  size: number,
  { seed, resamples = RESAMPLES }: BootstrapOptions,
  use: (drawn: Uint32Array, index: number) => void,
): void {
  const random = createRandom(seed);
  const drawn = new Uint32Array(size);
  for (let index = 0; index < resamples; index++) {
    for (let place = 0; place < size; place++) drawn[place] = Math.floor(random() * size);
    use(drawn, index);
  }
}

/** Two-sided p-value (b + 1) / (B + 1) in a normal distribution. */
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

/** Tests if a metric is what is spent: cost, or tokens without a price. */
export function isSpend(metric = ''): boolean {
  return SPENDS.includes(metric);
}

/** The change between pairs; `undefined` without any. */
export function estimateChange(
  metric: string,
  pairs: readonly Pair[],
  options: BootstrapOptions,
): Change | undefined {
  if (metric === COST_METRIC) {
    const ratio = geometricCostRatio(pairs);
    return ratio && { kind: 'ratio', estimate: ratio, pValue: costRatioPValue(pairs) };
  }
  const difference = pairedMeanDifference(pairs, options);
  if (difference === undefined) return undefined;
  const { value, interval, pValue } = difference;
  return { kind: 'difference', estimate: { value, interval }, pValue };
}

/** Judges cost by its ratio, anything else by its mean difference. */
export function judgeDifference(
  metric: string,
  pairs: readonly Pair[],
  interval: Interval | null,
): Verdict {
  if (metric !== COST_METRIC) return judge(interval, SAME_AMOUNT);
  // A mean of dollars is dominated by a few expensive sessions.
  return judge(geometricCostRatio(pairs)?.interval ?? null, SAME_COST);
}

/** The geometric mean of cost ratios, exp(mean log((b + ε) / (a + ε))), with Student's t over clusters. */
export function geometricCostRatio(pairs: readonly Pair[]): Estimate | undefined {
  if (pairs.length === 0) return undefined;
  const logs = logRatios(pairs);
  return { value: Math.exp(mean(logs)), interval: mapInterval(tInterval(logs), Math.exp) };
}

/** The p-value of equal costs; as small as a bootstrap's at most, `null` of too few. */
export function costRatioPValue(pairs: readonly Pair[]): number | null {
  const logs = logRatios(pairs);
  return logs.length < LEAST_OBSERVATIONS ? null : Math.max(tPValue(logs), 1 / (RESAMPLES + 1));
}

/** The second arm's total over the first's, with an interval of many clusters. */
export function ratioOfTotals(
  pairs: readonly Pair[],
  options: BootstrapOptions,
): Estimate | undefined {
  const first = clusterSums(pairs, ({ a }) => a);
  const second = clusterSums(pairs, ({ b }) => b);
  const value = sum(second) / sum(first);
  if (!Number.isFinite(value)) return undefined;
  if (first.length < FEW_CLUSTERS) return { value, interval: null };
  const ratios: number[] = [];
  drawResamples(first.length, options, (drawn) => {
    const ratio = totalOf(second, drawn) / totalOf(first, drawn);
    if (Number.isFinite(ratio)) ratios.push(ratio);
  });
  return { value, interval: percentileInterval(ratios, first.length) };
}

/** At least a bootstrap's smallest, and a sign test's where all are alike. */
function ofFew(differences: readonly number[], { resamples = RESAMPLES }: BootstrapOptions) {
  const [first] = differences;
  const isOneAmount = first !== 0 && differences.every((difference) => difference === first);
  const ofSigns = isOneAmount ? 2 ** (1 - differences.length) : 0;
  const pValue = Math.max(tPValue(differences), 1 / (resamples + 1), ofSigns);
  return { interval: tInterval(differences), pValue };
}

function logRatios(pairs: readonly Pair[]): readonly number[] {
  return clusterMeans(pairs, ({ a, b }) =>
    Math.log((b + RATIO_EPSILON_USD) / (a + RATIO_EPSILON_USD)),
  );
}

function clusterSums(pairs: readonly Pair[], valueOf: (pair: Pair) => number): readonly number[] {
  return groupByCluster(pairs, valueOf).map(sum);
}

function totalOf(values: readonly number[], drawn: Uint32Array): number {
  let all = 0;
  for (const index of drawn) all += values[index] ?? 0;
  return all;
}

function mapInterval(interval: Interval | null, map: (value: number) => number): Interval | null {
  return interval === null ? null : { low: map(interval.low), high: map(interval.high) };
}
