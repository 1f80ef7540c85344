import { COST_METRIC, judgeDifference } from '../../metrics/judge-difference.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import {
  costRatioPValue,
  geometricCostRatio,
  judgeCost,
  ratioOfTotals,
} from '../../metrics/statistics/cost-ratio.ts';
import {
  countOutcomes,
  probabilityOfSuperiority,
  standardisedDifference,
} from '../../metrics/statistics/effect-size.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { adjustByHolm } from '../../metrics/statistics/p-value.ts';
import { clusterMeans, differenceOf, type Pair, pairMeans } from '../../metrics/statistics/pair.ts';
import type { CostComparison, MetricComparison } from '../../report/compare/comparison.ts';
import type { SessionPair } from './pair-sides.ts';
import { PRIMARY_METRICS } from './primary-metrics.ts';

/** Every metric that is known on both sides of any pair, in the order of reports. */
export function compareMetrics(
  pairs: readonly SessionPair[],
  seed: number,
): readonly MetricComparison[] {
  const named: readonly (readonly [string, Metric])[] = Object.entries(metrics);
  const compared = named.flatMap(([name, metric]) =>
    compareMetric({ ...metric, name }, knownPairs(pairs, name), seed),
  );
  return withAdjustedPValues(compared);
}

/** How the costs of pairs compare; `null` where none has a known price. */
export function compareCosts(pairs: readonly SessionPair[], seed: number): CostComparison | null {
  const known = knownPairs(pairs, COST_METRIC);
  const geometricRatio = geometricCostRatio(known);
  if (geometricRatio === undefined) return null;
  return {
    pairs: known.length,
    geometricRatio,
    verdict: judgeCost(known),
    ratioOfTotals: ratioOfTotals(known, { seed }) ?? null,
  };
}

/** A pair whose cluster is the family of its session. */
interface KnownPair extends Pair {
  readonly arm?: string | undefined;
}

/** Pairs in which a metric is known on both sides. */
function knownPairs(pairs: readonly SessionPair[], name: string): readonly KnownPair[] {
  return pairs.flatMap(({ family, arm, a, b }) => {
    const [first, second] = [a[name] ?? null, b[name] ?? null];
    if (first === null || second === null) return [];
    return [{ a: first, b: second, cluster: family, arm }];
  });
}

/** What each family has more on average under the second arm; under each policy where there are several. */
function differencesOf(pairs: readonly KnownPair[]): readonly number[] {
  const byArm = pairs.map(({ a, b, cluster, arm }) => {
    return { a, b, cluster: JSON.stringify([cluster, arm]) };
  });
  return clusterMeans(byArm, differenceOf);
}

type NamedMetric = Metric & { readonly name: string };

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

function withAdjustedPValues(compared: readonly MetricComparison[]): readonly MetricComparison[] {
  const tested = compared.flatMap(({ name, pValue }) =>
    typeof pValue === 'number' ? [{ name, pValue }] : [],
  );
  const adjusted = adjustByHolm(tested.map(({ pValue }) => pValue));
  const byName = new Map(tested.map(({ name }, index) => [name, adjusted[index]]));
  return compared.map((comparison) => {
    const pValue = byName.get(comparison.name);
    return pValue === undefined ? comparison : { ...comparison, pValue };
  });
}
