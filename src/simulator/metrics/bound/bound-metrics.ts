import { type Metric, type MetricInput, toUsd } from '../metric.ts';

/**
 * How far a run is from the bound: the same policy, but with a prune that knows what will be needed. Both lose
 * alike by their pivots. The distance to the control is misses, for it has none, and dollars saved.
 */
export const boundMetrics = {
  boundMisses: {
    label: "Bound's misses",
    unit: 'count',
    better: 'lower',
    describes: 'Misses that a prune with knowledge of the future would have left.',
    of: ({ bound }) => bound?.regret.misses,
  },
  missesAboveBound: {
    label: 'Misses above bound',
    unit: 'count',
    better: 'lower',
    describes: "Misses, less the bound's.",
    of: ({ run, bound }) => bound && run.regret.misses - bound.regret.misses,
  },
  boundMissedTokens: {
    label: "Bound's missed tokens",
    unit: 'tokens',
    better: 'lower',
    describes: 'True tokens of the parts that the bound misses.',
    of: ({ bound }) => bound?.regret.missedTokens,
  },
  missedTokensToBound: {
    label: "Missed tokens against bound's",
    unit: 'ratio',
    better: 'lower',
    describes: "Missed tokens beside the bound's; unknown where the bound misses nothing.",
    shareOf: ['missedTokens', 'boundMissedTokens'],
  },
  boundRegretUsd: {
    label: "Bound's regret",
    unit: 'usd',
    better: 'lower',
    describes: 'Regret of the bound.',
    of: ({ bound }) => toUsd(bound?.costs && bound.regret.regretNanoUsd),
  },
  competitiveRatio: {
    label: 'Competitive ratio',
    unit: 'ratio',
    better: 'lower',
    describes: "Regret beside the bound's; unknown where the bound regrets nothing.",
    shareOf: ['regretUsd', 'boundRegretUsd'],
  },
  costAboveBoundUsd: {
    label: 'Cost above bound',
    unit: 'usd',
    better: 'lower',
    describes: "Cost, less the bound's over the same steps.",
    of: costAboveBound,
  },
} satisfies Record<string, Metric>;

function costAboveBound({ run, bound }: MetricInput): number | undefined {
  const [cost, boundCost] = [costOf(run), costOf(bound)];
  return cost === undefined || boundCost === undefined ? undefined : toUsd(cost - boundCost);
}

function costOf(totals: MetricInput['bound']): number | undefined {
  const costs = totals?.costs;
  return costs && costs.stepsNanoUsd.reduce((sum, cost) => sum + cost, costs.summariesNanoUsd);
}
