import { mean, sampleStandardDeviation } from 'simple-statistics';
import { COST_METRIC } from '../../metrics/judge-difference.ts';
import { isAsGoodAsEqual } from '../../metrics/statistics/at-most.ts';
import { LEAST_OBSERVATIONS } from '../../metrics/statistics/interval.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { MetricComparison, SessionDifference } from '../../report/compare/comparison.ts';
import { differencesOf, knownPairs } from './known-pairs.ts';
import type { SessionPair } from './pair-sides.ts';

/** A metric with how much more the second arm has of it, and how far that strays. */
interface Usual extends Pick<MetricComparison, 'name' | 'unit'> {
  readonly difference: number;
  readonly spread: number;
}

/** What sessions are ordered by where not every cost is known. */
const FALLBACK_METRIC = 'inputTokens';

const known: Readonly<Record<string, Metric>> = metrics;

const MOST_SESSIONS = 10;

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
    .map(({ pair }) => describePair(pair, measure, usual));
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

function describePair(
  pair: SessionPair,
  measure: string,
  usual: readonly Usual[],
): SessionDifference {
  const cause = findCause(pair, measure, usual);
  return {
    session: pair.session,
    ...(pair.arm !== undefined && { arm: pair.arm }),
    measure: valuesOf(pair, measure),
    ...(cause !== undefined && { because: valuesOf(pair, cause) }),
  };
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
    if (isLessThanUsual(own, difference)) return [];
    return [{ name, unusual: Math.abs(own - difference) / spread }];
  });
  return candidates.toSorted((one, other) => other.unusual - one.unusual)[0]?.name;
}

function isLessThanUsual(own: number, difference: number): boolean {
  return Math.sign(own) === Math.sign(difference) && Math.abs(own) < Math.abs(difference);
}

function distanceOf({ a, b }: SessionPair, name: string): number {
  const [first, second] = [a[name] ?? 0, b[name] ?? 0];
  return isAsGoodAsEqual(first, second) ? 0 : Math.abs(second - first);
}

function valuesOf({ a, b }: SessionPair, metric: string) {
  return { metric, a: a[metric] ?? 0, b: b[metric] ?? 0 };
}

function areKnown({ a, b }: SessionPair, name: string): boolean {
  return typeof a[name] === 'number' && typeof b[name] === 'number';
}
