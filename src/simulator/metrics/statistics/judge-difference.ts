/** Source, where no other is given: evaluation design, section 9.5. */

import { mean } from 'simple-statistics';
import { sum } from '../../lib/collections.ts';
import {
  type Estimate,
  type Interval,
  LEAST_OBSERVATIONS,
  mapInterval,
  percentileInterval,
  tInterval,
  tPValue,
} from './interval.ts';
import {
  type BootstrapOptions,
  clusterMeans,
  drawResamples,
  FEW_CLUSTERS,
  groupByCluster,
  type Pair,
  pairedMeanDifference,
  RESAMPLES,
} from './mean-difference.ts';
import { judge, SAME_AMOUNT, SAME_COST, type Verdict } from './verdict.ts';

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
