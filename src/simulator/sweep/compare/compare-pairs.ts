import { COST_METRIC, judgeDifference } from '../../metrics/judge-difference.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { PRIMARY_METRICS } from '../../metrics/primary-metrics.ts';
import {
  costRatioPValue,
  geometricCostRatio,
  ratioOfTotals,
} from '../../metrics/statistics/cost-ratio.ts';
import {
  countOutcomes,
  probabilityOfSuperiority,
  standardisedDifference,
} from '../../metrics/statistics/effect-size.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { judgeTogether } from '../../metrics/statistics/judge-together.ts';
import { pairMeans } from '../../metrics/statistics/pair.ts';
import { oppositeOf } from '../../metrics/statistics/verdict.ts';
import type { CostComparison, MetricComparison } from '../../report/compare/comparison.ts';
import { differencesOf, type KnownPair, knownPairs } from './known-pairs.ts';
import type { SessionPair } from './pair-sides.ts';

type NamedMetric = Metric & { readonly name: string };

/** What never compacting costs more. */
const SAVED_METRIC = 'costSavedUsd';

/** Every metric that is known on both sides of any pair, in the order of reports. */
export function compareMetrics(
  pairs: readonly SessionPair[],
  seed: number,
): readonly MetricComparison[] {
  const named: readonly (readonly [string, Metric])[] = Object.entries(metrics);
  const compared = named.flatMap(([name, metric]) =>
    compareMetric({ ...metric, name }, knownPairs(pairs, name), seed),
  );
  return withOppositeOfCost(judgeTogether(compared));
}

/** How the costs of pairs compare, with the verdict among the metrics; `null` where none has a known price. */
export function compareCosts(
  pairs: readonly SessionPair[],
  metricsCompared: readonly MetricComparison[],
  seed: number,
): CostComparison | null {
  const known = knownPairs(pairs, COST_METRIC);
  const geometricRatio = geometricCostRatio(known);
  const compared = metricsCompared.find(({ name }) => name === COST_METRIC);
  if (geometricRatio === undefined || compared === undefined) return null;
  return {
    pairs: known.length,
    geometricRatio,
    verdict: compared.verdict,
    ratioOfTotals: ratioOfTotals(known, { seed }) ?? null,
  };
}

/** Dollars saved are what never compacting costs, less the cost: they are judged by that, in the other direction. */
function withOppositeOfCost(compared: readonly MetricComparison[]): readonly MetricComparison[] {
  const cost = compared.find(({ name }) => name === COST_METRIC);
  if (cost === undefined) return compared;
  return compared.map((one) =>
    one.name === SAVED_METRIC && one.pairs === cost.pairs
      ? { ...one, verdict: oppositeOf(cost.verdict) }
      : one,
  );
}

function compareMetric(
  { name, label, unit, better }: NamedMetric,
  pairs: readonly KnownPair[],
  seed: number,
): readonly MetricComparison[] {
  const found = pairedMeanDifference(pairs, { seed });
  if (found === undefined) return [];
  const { pValue: ofMeans, ...difference } = found;
  const pValue = name === COST_METRIC ? costRatioPValue(pairs) : ofMeans;
  const means = pairMeans(pairs);
  const differences = differencesOf(pairs);
  const comparison = {
    name,
    label,
    unit,
    pairs: pairs.length,
    meanA: means.a,
    meanB: means.b,
    difference,
    verdict: judgeDifference(name, pairs, difference.interval),
    ...(PRIMARY_METRICS.includes(name) && { pValue }),
    effectSize: standardisedDifference(differences),
  };
  if (better === undefined) return [comparison];
  const outcomes = countOutcomes(differences, better);
  const probability = probabilityOfSuperiority(outcomes);
  return [{ ...comparison, outcomes: { ...outcomes, probabilityOfSuperiority: probability } }];
}
