import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { Metric } from '../../metrics/metric.ts';
import { metrics, PRIMARY_METRICS } from '../../metrics/metrics.ts';
import { LEAST_OBSERVATIONS } from '../../metrics/statistics/interval.ts';
import {
  COST_METRIC,
  costRatioPValue,
  geometricCostRatio,
  judgeDifference,
  ratioOfTotals,
} from '../../metrics/statistics/judge-difference.ts';
import {
  clusterMeans,
  differenceOf,
  type Pair,
  pairedMeanDifference,
  pairMeans,
} from '../../metrics/statistics/mean-difference.ts';
import {
  countOutcomes,
  isAsGoodAsEqual,
  judgeTogether,
  oppositeOf,
  probabilityOfSuperiority,
  standardisedDifference,
} from '../../metrics/statistics/verdict.ts';
import type { Comparison } from '../../report/comparison.ts';
import type { SessionPair } from './pair-sides.ts';

type MetricComparison = Comparison['metrics'][number];
type SessionDifference = Comparison['mostDifferent'][number];

/** A pair whose cluster is the family of its session. */
interface KnownPair extends Pair {
  readonly arm?: string | undefined;
}

/** A metric with how much more the second arm has of it, and how far that strays. */
interface Usual extends Pick<MetricComparison, 'name' | 'unit'> {
  readonly difference: number;
  readonly spread: number;
}

/** The extra cost of never compacting. */
export const SAVED_METRIC = 'costSavedUsd';

/** Order of sessions if some costs are unknown. */
const FALLBACK_METRIC = 'inputTokens';

const known: Readonly<Record<string, Metric>> = metrics;

const MOST_SESSIONS = 10;

/** Every metric that is known on both sides of any pair, in the order of reports. */
export function compareMetrics(
  pairs: readonly SessionPair[],
  seed: number,
): readonly MetricComparison[] {
  const compared = Object.entries(known).flatMap(([name, metric]) =>
    compareMetric({ ...metric, name }, knownPairs(pairs, name), seed),
  );
  const judged = judgeTogether(compared);
  const cost = judged.find(({ name }) => name === COST_METRIC);
  // Dollars saved are what never compacting costs, less the cost: they are judged by that, in the other direction.
  return judged.map((one) =>
    cost && one.name === SAVED_METRIC && one.pairs === cost.pairs
      ? { ...one, verdict: oppositeOf(cost.verdict) }
      : one,
  );
}

/** The sessions in which both arms are farthest apart, the farthest first; none that are alike in everything. */
export function findMostDifferent(
  pairs: readonly SessionPair[],
  compared: readonly MetricComparison[],
): readonly SessionDifference[] {
  const isPriced = pairs.every((pair) => areKnown(pair, COST_METRIC));
  const measure = isPriced ? COST_METRIC : FALLBACK_METRIC;
  const usual = compared.flatMap((metric) => findUsual(metric, pairs));
  return pairs
    .map((pair) => ({ pair, distance: distanceOf(pair, measure) }))
    .filter(({ distance }) => distance > 0)
    .toSorted((one, other) => other.distance - one.distance)
    .slice(0, MOST_SESSIONS)
    .map(({ pair }) => {
      const { session, arm } = pair;
      const valuesOf = (metric: string) => {
        return { metric, a: pair.a[metric] ?? 0, b: pair.b[metric] ?? 0 };
      };
      const cause = findCause(pair, measure, usual);
      return {
        session,
        ...(arm !== undefined && { arm }),
        measure: valuesOf(measure),
        ...(cause !== undefined && { because: valuesOf(cause) }),
      };
    });
}

/** How the costs of pairs compare, with the verdict among the metrics; `null` where none has a known price. */
export function compareCosts(
  pairs: readonly SessionPair[],
  compared: readonly MetricComparison[],
  seed: number,
): Comparison['cost'] {
  const priced = knownPairs(pairs, COST_METRIC);
  const geometricRatio = geometricCostRatio(priced);
  const cost = compared.find(({ name }) => name === COST_METRIC);
  if (geometricRatio === undefined || cost === undefined) return null;
  const { verdict } = cost;
  const ratio = ratioOfTotals(priced, { seed }) ?? null;
  return { pairs: priced.length, geometricRatio, verdict, ratioOfTotals: ratio };
}

/** Pairs in which a metric is known on both sides; what differs by rounding alone is the same on both. */
function knownPairs(pairs: readonly SessionPair[], name: string): readonly KnownPair[] {
  return pairs.flatMap(({ family, arm, ...sides }) => {
    const [first, second] = [sides.a[name] ?? null, sides.b[name] ?? null];
    if (first === null || second === null) return [];
    const b = isAsGoodAsEqual(first, second) ? first : second;
    return [{ a: first, b, cluster: family, arm }];
  });
}

function compareMetric(
  { name, label, unit, better }: Metric & { readonly name: string },
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

/** Mean increase of each family under the second arm, for each policy if there are several. */
function differencesOf(pairs: readonly KnownPair[]): readonly number[] {
  const byArm = pairs.map(({ a, b, cluster, arm }) => {
    return { a, b, cluster: JSON.stringify([cluster, arm]) };
  });
  return clusterMeans(byArm, differenceOf);
}

function areKnown({ a, b }: SessionPair, name: string): boolean {
  return typeof a[name] === 'number' && typeof b[name] === 'number';
}

/** Nothing of a metric whose difference does not vary. */
function findUsual(
  { name, unit }: MetricComparison,
  pairs: readonly SessionPair[],
): readonly Usual[] {
  const differences = [...differencesOf(knownPairs(pairs, name))];
  if (differences.length < LEAST_OBSERVATIONS) return [];
  const [difference, spread] = [mean(differences), sampleStandardDeviation(differences)];
  const isSteady = isAsGoodAsEqual(difference + spread, difference);
  return isSteady ? [] : [{ name, unit, difference, spread }];
}

function distanceOf({ a, b }: SessionPair, name: string): number {
  const [first, second] = [a[name] ?? 0, b[name] ?? 0];
  return isAsGoodAsEqual(first, second) ? 0 : Math.abs(second - first);
}

/**
 * The metric whose difference is the most unusual one: farthest from its mean, in standard deviations. What differs less
 * than elsewhere, in the same direction, is no reason; and one with the difference of the measure, up to its sign, is
 * that under another name.
 */
function findCause(
  pair: SessionPair,
  measure: string,
  usual: readonly Usual[],
): string | undefined {
  const apart = distanceOf(pair, measure);
  const ofMeasure = known[measure]?.unit;
  const candidates = usual.flatMap(({ name, unit, difference, spread }) => {
    const distance = areKnown(pair, name) ? distanceOf(pair, name) : 0;
    if (distance === 0 || (unit === ofMeasure && isAsGoodAsEqual(distance, apart))) return [];
    const own = (pair.b[name] ?? 0) - (pair.a[name] ?? 0);
    const isLess = Math.sign(own) === Math.sign(difference) && Math.abs(own) < Math.abs(difference);
    if (isLess) return [];
    return [{ name, unusual: Math.abs(own - difference) / spread }];
  });
  return candidates.toSorted((one, other) => other.unusual - one.unusual)[0]?.name;
}
