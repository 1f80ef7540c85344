import type { BootstrapOptions } from './statistics/bootstrap.ts';
import { costRatioPValue, geometricCostRatio, judgeCost } from './statistics/cost-ratio.ts';
import type { Estimate, Interval } from './statistics/interval.ts';
import { pairedMeanDifference } from './statistics/mean-difference.ts';
import type { Pair } from './statistics/pair.ts';
import { judge, SAME_AMOUNT, type Verdict } from './statistics/verdict.ts';

/** How far the second arm is from the first: of cost the geometric mean of ratios, of anything else the mean difference. */
export interface Change {
  readonly kind: 'ratio' | 'difference';
  readonly estimate: Estimate;
  /** How surprising that is where there is no difference; `null` of too few. */
  readonly pValue: number | null;
}

/** The metric of cost, for which a ratio stands. */
export const COST_METRIC = 'costUsd';

/** How far pairs are apart in a metric; `undefined` without any pair. */
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

/** What pairs say of a metric: of cost by its ratio, of anything else by the interval of its mean difference. */
export function judgeDifference(
  metric: string,
  pairs: readonly Pair[],
  interval: Interval | null,
): Verdict {
  return metric === COST_METRIC ? judgeCost(pairs) : judge(interval, SAME_AMOUNT);
}
