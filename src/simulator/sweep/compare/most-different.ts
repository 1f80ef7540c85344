import { COST_METRIC } from '../../metrics/judge-difference.ts';
import type { MetricComparison, SessionDifference } from '../../report/compare/comparison.ts';
import type { SessionPair } from './pair-sides.ts';

/** What sessions are ordered by where not every cost is known. */
const FALLBACK_METRIC = 'inputTokens';

const MOST_SESSIONS = 10;

/** Differences are told apart from rounding only above this share of the larger value. */
const LEAST_SHARE = 1e-9;

/** The sessions in which both arms are farthest apart, the farthest first; none that are alike in everything. */
export function findMostDifferent(
  pairs: readonly SessionPair[],
  compared: readonly MetricComparison[],
): readonly SessionDifference[] {
  const isPriced = pairs.every((pair) => areKnown(pair, COST_METRIC));
  const measure = isPriced ? COST_METRIC : FALLBACK_METRIC;
  return pairs
    .map((pair) => ({ pair, distance: distanceOf(pair, measure) }))
    .filter(({ distance }) => distance > 0)
    .toSorted((one, other) => other.distance - one.distance)
    .slice(0, MOST_SESSIONS)
    .map(({ pair }) => describePair(pair, measure, compared));
}

function describePair(
  pair: SessionPair,
  measure: string,
  compared: readonly MetricComparison[],
): SessionDifference {
  const cause = findCause(pair, measure, compared);
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
  compared: readonly MetricComparison[],
): string | undefined {
  const apart = distanceOf(pair, measure);
  const ofMeasure = compared.find(({ name }) => name === measure)?.unit;
  const candidates = compared.flatMap(({ name, unit, difference, effectSize }) => {
    if (effectSize === null || effectSize === 0) return [];
    const spread = Math.abs(difference.value / effectSize);
    const distance = areKnown(pair, name) ? distanceOf(pair, name) : 0;
    if (distance === 0 || (unit === ofMeasure && isSame(distance, apart))) return [];
    const own = (pair.b[name] ?? 0) - (pair.a[name] ?? 0);
    if (isLessThanUsual(own, difference.value)) return [];
    return [{ name, unusual: Math.abs(own - difference.value) / spread }];
  });
  return candidates.toSorted((one, other) => other.unusual - one.unusual)[0]?.name;
}

function isLessThanUsual(own: number, usual: number): boolean {
  return Math.sign(own) === Math.sign(usual) && Math.abs(own) < Math.abs(usual);
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= LEAST_SHARE * Math.max(one, other);
}

function distanceOf({ a, b }: SessionPair, name: string): number {
  const [first, second] = [a[name] ?? 0, b[name] ?? 0];
  const distance = Math.abs(second - first);
  return distance > LEAST_SHARE * Math.max(Math.abs(first), Math.abs(second)) ? distance : 0;
}

function valuesOf({ a, b }: SessionPair, metric: string) {
  return { metric, a: a[metric] ?? 0, b: b[metric] ?? 0 };
}

function areKnown({ a, b }: SessionPair, name: string): boolean {
  return typeof a[name] === 'number' && typeof b[name] === 'number';
}
