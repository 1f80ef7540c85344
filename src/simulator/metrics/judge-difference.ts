import { judgeCost } from './statistics/cost-ratio.ts';
import type { Interval } from './statistics/interval.ts';
import type { Pair } from './statistics/pair.ts';
import { judge, SAME_AMOUNT, type Verdict } from './statistics/verdict.ts';

/** The metric of cost, for which a ratio stands. */
export const COST_METRIC = 'costUsd';

/** What pairs say of a metric: of cost by its ratio, of anything else by the interval of its mean difference. */
export function judgeDifference(
  metric: string,
  pairs: readonly Pair[],
  interval: Interval | null,
): Verdict {
  return metric === COST_METRIC ? judgeCost(pairs) : judge(interval, SAME_AMOUNT);
}
