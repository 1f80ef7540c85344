import { mean, sampleStandardDeviation } from 'simple-statistics';
import { known } from '../../lib/collections.ts';
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

interface KnownPair extends Pair {
  readonly arm?: string | undefined;
}

export const SAVED_METRIC = 'costSavedUsd';

const FALLBACK_METRIC = 'inputTokens';
const MOST_SESSIONS = 10;
const metricOf: Readonly<Record<string, Metric>> = metrics;

/** Every metric that is known on both sides of any pair, in the order of reports. */
export function compareMetrics(
  pairs: readonly SessionPair[],
  seed: number,
): readonly MetricComparison[] {
  const judged = judgeTogether(
    Object.keys(metrics).flatMap((name) => compareMetric(name, knownPairs(pairs, name), seed)),
  );
  const cost = judged.find(({ name }) => name === COST_METRIC);
  // Dollars saved are what never compacting costs, less the cost: they are judged by that, in the other direction.
  return judged.map((one) =>
    cost && one.name === SAVED_METRIC && one.pairs === cost.pairs
      ? { ...one, verdict: oppositeOf(cost.verdict) }
      : one,
  );
}

export function findMostDifferent(
  pairs: readonly SessionPair[],
  compared: readonly MetricComparison[],
): Comparison['mostDifferent'] {
  const isPriced = pairs.every((pair) => areKnown(pair, COST_METRIC));
  const measure = isPriced ? COST_METRIC : FALLBACK_METRIC;
  const usual = compared.flatMap(({ name }) => findUsual(name, pairs));
  return pairs
    .filter((pair) => distanceOf(pair, measure) > 0)
    .toSorted((one, other) => distanceOf(other, measure) - distanceOf(one, measure))
    .slice(0, MOST_SESSIONS)
    .map((pair) => {
      const { session, arm, a, b } = pair;
      const valuesOf = (metric: string) => ({ metric, a: a[metric] ?? 0, b: b[metric] ?? 0 });
      const cause = findCause(pair, measure, usual);
      return {
        session,
        ...known({ arm }),
        measure: valuesOf(measure),
        ...known({ because: cause === undefined ? undefined : valuesOf(cause) }),
      };
    });
}

export function compareCosts(
  pairs: readonly SessionPair[],
  compared: readonly MetricComparison[],
  seed: number,
): Comparison['cost'] {
  const priced = knownPairs(pairs, COST_METRIC);
  const geometricRatio = geometricCostRatio(priced);
  const verdict = compared.find(({ name }) => name === COST_METRIC)?.verdict;
  if (geometricRatio === undefined || verdict === undefined) return null;
  const ratio = ratioOfTotals(priced, { seed }) ?? null;
  return { pairs: priced.length, geometricRatio, verdict, ratioOfTotals: ratio };
}

/** Values that differ by rounding alone are the same. */
function knownPairs(pairs: readonly SessionPair[], name: string) {
  return pairs.flatMap(({ family, arm, a, b }) => {
    const [first, second] = [a[name] ?? null, b[name] ?? null];
    if (first === null || second === null) return [];
    return [{ a: first, b: isAsGoodAsEqual(first, second) ? first : second, cluster: family, arm }];
  });
}

function compareMetric(name: string, pairs: readonly KnownPair[], seed: number) {
  const found = pairedMeanDifference(pairs, { seed });
  const metric = metricOf[name];
  if (found === undefined || metric === undefined) return [];
  const { label, unit, better } = metric;
  const { pValue, ...difference } = found;
  const means = pairMeans(pairs);
  const differences = differencesOf(pairs);
  const outcomes = better && countOutcomes(differences, better);
  return [
    {
      name,
      label,
      unit,
      pairs: pairs.length,
      meanA: means.a,
      meanB: means.b,
      difference,
      verdict: judgeDifference(name, pairs, difference.interval),
      ...(PRIMARY_METRICS.includes(name) && {
        pValue: name === COST_METRIC ? costRatioPValue(pairs) : pValue,
      }),
      effectSize: standardisedDifference(differences),
      ...(outcomes && {
        outcomes: { ...outcomes, probabilityOfSuperiority: probabilityOfSuperiority(outcomes) },
      }),
    },
  ];
}

function differencesOf(pairs: readonly KnownPair[]) {
  const byArm = pairs.map(({ a, b, cluster, arm }) => {
    return { a, b, cluster: JSON.stringify([cluster, arm]) };
  });
  return clusterMeans(byArm, differenceOf);
}

function areKnown({ a, b }: SessionPair, name: string) {
  return typeof a[name] === 'number' && typeof b[name] === 'number';
}

/** Nothing where it does not vary. */
function findUsual(name: string, pairs: readonly SessionPair[]) {
  const differences = [...differencesOf(knownPairs(pairs, name))];
  if (differences.length < LEAST_OBSERVATIONS) return [];
  const [difference, spread] = [mean(differences), sampleStandardDeviation(differences)];
  return isAsGoodAsEqual(difference + spread, difference) ? [] : [{ name, difference, spread }];
}

function distanceOf({ a, b }: SessionPair, name: string) {
  const [first, second] = [a[name] ?? 0, b[name] ?? 0];
  return isAsGoodAsEqual(first, second) ? 0 : Math.abs(second - first);
}

function findCause(pair: SessionPair, measure: string, usual: ReturnType<typeof findUsual>) {
  const apart = distanceOf(pair, measure);
  const candidates = usual.flatMap(({ name, difference, spread }) => {
    const distance = areKnown(pair, name) ? distanceOf(pair, name) : 0;
    const isAlike = metricOf[name]?.unit === metricOf[measure]?.unit;
    if (distance === 0 || (isAlike && isAsGoodAsEqual(distance, apart))) return [];
    const own = (pair.b[name] ?? 0) - (pair.a[name] ?? 0);
    const isLess = Math.sign(own) === Math.sign(difference) && Math.abs(own) < Math.abs(difference);
    return isLess ? [] : [{ name, unusual: Math.abs(own - difference) / spread }];
  });
  return candidates.toSorted((one, other) => other.unusual - one.unusual)[0]?.name;
}
