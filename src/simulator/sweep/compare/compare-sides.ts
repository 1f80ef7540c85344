import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { Metric } from '../../metrics/metric.ts';
import { countsAs } from '../../metrics/record.ts';
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
  countEvidence,
  countOutcomes,
  isAsGoodAsEqual,
  judgeTogether,
  oppositeOf,
  probabilityOfSuperiority,
  standardisedDifference,
} from '../../metrics/statistics/verdict.ts';
import { RECORDED } from '../../replay/recorded.ts';
import type {
  Comparison,
  CostComparison,
  MetricComparison,
  SessionDifference,
  SideOrigin,
} from '../../report/comparison.ts';
import { describeSavings } from '../../report/kept.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { NamedStory } from '../../report/stories.ts';
import { type Arm, armRunOf, onEqualTerms } from '../../report/arms.ts';
import { conclude } from '../../report/verdict.ts';
import {
  asksSummarizer,
  type NamedValues,
  pairSides,
  type SessionPair,
  type Side,
} from './pair-sides.ts';

/** Two sides compared, or why they cannot be. */
export type ComparisonOutcome =
  | { readonly state: 'compared'; readonly comparison: Comparison }
  | { readonly state: 'incomparable'; readonly reason: string };

/** Options of a comparison besides its sides. */
interface CompareOptions {
  /** Of the resamples. */
  readonly seed: number;
  readonly unread?: readonly UnreadInput[];
}

type NamedMetric = Metric & { readonly name: string };

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
const SAVED_METRIC = 'costSavedUsd';
const NET_COST = 'Cost, re-reads included';

/** Order of sessions if some costs are unknown. */
const FALLBACK_METRIC = 'inputTokens';

const known: Readonly<Record<string, Metric>> = metrics;

const MOST_SESSIONS = 10;

/** The runs of an arm as reports keep them, without their families, which two results of one session may call otherwise. */
export function toSideRuns(arm: Arm | undefined): NonNullable<Comparison['runs']>['a'] {
  const runs = arm?.runs ?? [];
  return runs.map(
    ({ key, session, state, reason, costUsd, losses, compactions, isLeast, tokens }) => ({
      key,
      session,
      state,
      ...(reason !== undefined && { reason }),
      costUsd,
      ...(costUsd === null && tokens !== undefined && { tokens }),
      losses,
      compactions,
      isLeast,
    }),
  );
}

/** Compares two sides, paired by session. */
export function compareSides(
  a: Side,
  b: Side,
  { seed, unread = [] }: CompareOptions,
): ComparisonOutcome {
  const pairing = pairSides(a, b);
  if (pairing.state === 'incomparable') return pairing;
  const { leftOut } = pairing;
  const arms = onEqualTerms(armsOf({ a, b }, pairing.pairs));
  // What was recorded is what others are held against, on whichever side it stands.
  const baseline = b.name === RECORDED ? b.name : a.name;
  const { verdict, ...conclusion } = conclude(arms, { baseline });
  const pairs = pairing.pairs.map((pair, index) => withNetCost(pair, arms, index));
  const metrics = compareMetrics(pairs, seed).map((metric) =>
    metric.name === COST_METRIC && conclusion.withoutRereads === undefined
      ? { ...metric, label: NET_COST }
      : metric,
  );
  const cost = compareCosts(pairs, metrics, seed);
  const comparison = {
    verdict,
    conclusion,
    a: a.name,
    b: b.name,
    origins: { a: originOf(a), b: originOf(b) },
    model: namesOf(a.rows.map(({ model }) => model)),
    summarizer: summarizersOf([...a.rows, ...b.rows]),
    mode: a.mode,
    seed,
    pairs: pairs.length,
    ...countEvidence(pairs),
    cost,
    metrics,
    mostDifferent: findMostDifferent(pairs, metrics),
    runs: { a: toSideRuns(arms[0]), b: toSideRuns(arms[1]) },
    leftOut,
    savings: describeSavings([...a.rows, ...b.rows]),
    failedRuns: [...a.rows, ...b.rows].filter(({ state }) => state === 'failed').length,
    stories: joinStories(a, b),
    unread,
  };
  return { state: 'compared', comparison };
}

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

/** A pair with the costs that the verdict is on. */
function withNetCost(pair: SessionPair, [a, b]: readonly Arm[], index: number): SessionPair {
  return {
    ...pair,
    a: toNet(pair.a, a?.runs[index]?.costUsd),
    b: toNet(pair.b, b?.runs[index]?.costUsd),
  };
}

function toNet(values: NamedValues, netUsd: number | null = null): NamedValues {
  const { [COST_METRIC]: costUsd, [SAVED_METRIC]: savedUsd } = values;
  if (typeof costUsd !== 'number' || netUsd === null) return values;
  const saved = typeof savedUsd === 'number' && { [SAVED_METRIC]: savedUsd + costUsd - netUsd };
  return { ...values, [COST_METRIC]: netUsd, ...saved };
}

/** Both sides of all pairs, and what did not complete beside what the other side made of it. */
function armsOf({ a, b }: Readonly<Record<'a' | 'b', Side>>, pairs: readonly SessionPair[]) {
  const mode = a.mode ?? 'open-loop';
  const paired = (side: 'a' | 'b', { rows }: Side) => {
    const edges = new Map(rows.map(({ session, edgeTokens }) => [session, edgeTokens]));
    return pairs.map(({ session, family, [side]: values }, index) => {
      const run = { session, family, state: 'completed', mode, metrics: values } as const;
      return armRunOf(String(index), { ...run, edgeTokens: edges.get(session) });
    });
  };
  const [ofA, ofB] = [incompleteOf('a', a, b), incompleteOf('b', b, a)];
  const [ownOfA, ownOfB] = [ofA, ofB].map((some) => some.map(({ own }) => own));
  const [peersOfA, peersOfB] = [ofA, ofB].map((some) => some.flatMap(({ other }) => other));
  return [
    { name: a.name, runs: [paired('a', a), ownOfA ?? [], peersOfB ?? []].flat() },
    { name: b.name, runs: [paired('b', b), ownOfB ?? [], peersOfA ?? []].flat() },
  ];
}

function incompleteOf(name: string, { rows }: Side, other: Side) {
  const incomplete = rows.filter((row) => countsAs(row) !== 'completed');
  return incomplete.map((row, index) => {
    const key = `${name} ${index}`;
    const peer = other.rows.find(
      (one) => one.session === row.session && countsAs(one) === 'completed',
    );
    return { own: armRunOf(key, row), other: peer === undefined ? [] : [armRunOf(key, peer)] };
  });
}

/** Each story once, though both sides have it. */
function joinStories(
  { stories = [] }: Side,
  { stories: others = [] }: Side,
): readonly NamedStory[] {
  return [...new Map([...stories, ...others].map((story) => [story.session, story])).values()];
}

function originOf({ origin, rows }: Side): SideOrigin {
  return { policies: [...new Set(rows.map(({ policy }) => policy))], ...origin };
}

/** Those that were asked; where none was, what stands in their place. */
function summarizersOf(rows: Side['rows']): string {
  const asking = rows.filter(asksSummarizer);
  return namesOf((asking.length > 0 ? asking : rows).map(({ summarizer }) => summarizer));
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}

/** How the costs of pairs compare, with the verdict among the metrics; `null` where none has a known price. */
function compareCosts(
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

/** Mean increase of each family under the second arm, for each policy if there are several. */
function differencesOf(pairs: readonly KnownPair[]): readonly number[] {
  const byArm = pairs.map(({ a, b, cluster, arm }) => {
    return { a, b, cluster: JSON.stringify([cluster, arm]) };
  });
  return clusterMeans(byArm, differenceOf);
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

function valuesOf({ a, b }: SessionPair, metric: string) {
  return { metric, a: a[metric] ?? 0, b: b[metric] ?? 0 };
}
