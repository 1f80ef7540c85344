import { type Metric, type MetricInput, toUsd } from '../metric.ts';
import type { RunTotals } from '../totals.ts';

type ValueOf = (totals: RunTotals) => number | undefined;

/**
 * How far a run is from the bound: the least of each number that is known to be possible, by the run itself or by the
 * same policy with a prune that knows what will be needed. Such a prune frees tokens where they are needed least, be it
 * of more parts, and pivots come as the policy makes them; a policy that clears in another order than its base is held
 * against its base, too. Among several runs, one in which no prune fired stands for itself. What a run is from the
 * control are its misses, for the control has none, and the dollars that it saves.
 */
export const boundMetrics = {
  boundMisses: {
    label: "Bound's misses",
    unit: 'count',
    better: 'lower',
    describes:
      'Fewest misses known to be possible with the same pivots: by a prune that knows the future, or by the run itself; unknown where no prune fired.',
    of: (input) => leastOf(input, missesOf),
    withoutPrune: 'misses',
  },
  missesAboveBound: {
    label: 'Misses above bound',
    unit: 'count',
    better: 'lower',
    describes: "Misses, minus the bound's.",
    of: (input) => aboveLeast(input, missesOf),
    withoutPrune: 0,
  },
  boundMissedTokens: {
    label: "Bound's missed tokens",
    unit: 'tokens',
    better: 'lower',
    describes: 'Fewest true tokens of missed parts known to be possible.',
    of: (input) => leastOf(input, ({ regret }) => regret.missedTokens),
    withoutPrune: 'missedTokens',
  },
  missedTokensToBound: {
    label: "Missed tokens / bound's",
    unit: 'factor',
    better: 'lower',
    describes: "Missed tokens divided by the bound's; unknown where the bound misses nothing.",
    shareOf: ['missedTokens', 'boundMissedTokens'],
  },
  boundRegretUsd: {
    label: "Bound's regret",
    unit: 'usd',
    better: 'lower',
    describes: 'Least regret known to be possible.',
    of: (input) => toUsd(leastOf(input, regretOf)),
    withoutPrune: 'regretUsd',
  },
  competitiveRatio: {
    label: 'Competitive ratio',
    unit: 'factor',
    better: 'lower',
    describes: "Regret divided by the bound's; unknown where the bound has none.",
    shareOf: ['regretUsd', 'boundRegretUsd'],
  },
  costAboveBoundUsd: {
    label: 'Cost above bound',
    unit: 'usd',
    better: 'lower',
    describes:
      "Cost, minus the bound's over the same steps; a run that pruned and missed nothing is its own bound.",
    of: (input) => toUsd(aboveLeast(input, costOf)),
    withoutPrune: 0,
  },
} satisfies Record<string, Metric>;

/** Unknown where it is unknown for one of them. */
function leastOf({ run, bounds }: MetricInput, valueOf: ValueOf): number | undefined {
  if (bounds === undefined) return undefined;
  return [run, ...bounds].map(valueOf).reduce(lesser);
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other);
}

function aboveLeast(input: MetricInput, valueOf: ValueOf): number | undefined {
  const [own, least] = [valueOf(input.run), leastOf(input, valueOf)];
  return own === undefined || least === undefined ? undefined : own - least;
}

function missesOf({ regret }: RunTotals): number {
  return regret.misses;
}

function regretOf({ costs, regret }: RunTotals): number | undefined {
  return costs && regret.regretNanoUsd;
}

function costOf({ costs }: RunTotals): number | undefined {
  return costs?.stepsNanoUsd.reduce((sum, cost) => sum + cost, costs.summariesNanoUsd);
}
