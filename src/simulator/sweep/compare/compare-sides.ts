import { policies } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { known, sum } from '../../lib/collections.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import {
  clusterMeans,
  COST_METRIC,
  costRatioPValue,
  differenceOf,
  geometricCostRatio,
  judgeDifference,
  type Pair,
  pairedMeanDifference,
  pairMeans,
  ratioOfTotals,
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
import { type Arm, armRunOf, onEqualTerms } from '../../report/arms.ts';
import type { Comparison } from '../../report/comparison.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeSavings } from '../../report/origin.ts';
import { conclude } from '../../report/verdict.ts';
import {
  asksSummarizer,
  type NamedValues,
  pairSides,
  type SessionPair,
  type Side,
} from './pair-sides.ts';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { Metric } from '../../metrics/metric-rows.ts';
import { metrics, PRIMARY_METRICS } from '../../metrics/metrics.ts';
import { LEAST_OBSERVATIONS } from '../../metrics/statistics/interval.ts';

type MetricComparison = Comparison['metrics'][number];

interface KnownPair extends Pair {
  readonly arm?: string | undefined;
}

const SAVED_METRIC = 'costSavedUsd';

const FALLBACK_METRIC = 'inputTokens';

const MOST_SESSIONS = 10;

const metricOf: Readonly<Record<string, Metric>> = metrics;

export type ComparisonOutcome =
  | { readonly state: 'compared'; readonly comparison: Comparison }
  | { readonly state: 'incomparable'; readonly reason: string };

export interface RunSide extends Side {
  readonly rows: readonly RunRecord[];
}

interface AdapterSides {
  readonly adapter: RunSide;
  readonly never: RunSide;
  readonly others: readonly RunSide[];
  readonly firstBreaks: ReadonlyMap<string, number>;
}

interface CompareOptions {
  readonly seed: number;
  readonly unread?: readonly UnreadInput[];
}

const NET_COST = 'Cost, re-reads included';

export function compareSides(
  a: Side,
  b: Side,
  { seed, unread = [] }: CompareOptions,
): ComparisonOutcome {
  const pairing = pairSides(a, b);
  if (pairing.state === 'incomparable') return pairing;
  const arms = onEqualTerms([armOf('a', [a, b], pairing.pairs), armOf('b', [b, a], pairing.pairs)]);
  // What was recorded is what others are held against, on whichever side it stands.
  const baseline = b.name === RECORDED ? b.name : a.name;
  const { verdict, ...conclusion } = conclude(arms, { baseline });
  const [runsOfA, runsOfB] = arms.map(({ runs }) => runs);
  const pairs = pairing.pairs.map((pair, index) => ({
    ...pair,
    a: toNet(pair.a, runsOfA?.[index]?.costUsd),
    b: toNet(pair.b, runsOfB?.[index]?.costUsd),
  }));
  const isNet = conclusion.withoutRereads === undefined;
  const compared = compareMetrics(pairs, seed).map((metric) =>
    metric.name === COST_METRIC && isNet ? { ...metric, label: NET_COST } : metric,
  );
  const rows = [...a.rows, ...b.rows];
  const asking = rows.filter(asksSummarizer);
  const stories = [...(a.stories ?? []), ...(b.stories ?? [])];
  const comparison = {
    verdict,
    conclusion,
    a: a.name,
    b: b.name,
    origins: { a: originOf(a), b: originOf(b) },
    model: namesOf(a.rows.map(({ model }) => model)),
    summarizer: namesOf((asking.length > 0 ? asking : rows).map(({ summarizer }) => summarizer)),
    mode: a.mode,
    seed,
    pairs: pairs.length,
    ...countEvidence(pairs),
    cost: compareCosts(pairs, compared, seed),
    metrics: compared,
    mostDifferent: findMostDifferent(pairs, compared),
    runs: { a: toSideRuns(arms[0]), b: toSideRuns(arms[1]) },
    leftOut: pairing.leftOut,
    savings: describeSavings(rows),
    failedRuns: rows.filter(({ state }) => state === 'failed').length,
    stories: [...new Map(stories.map((story) => [story.session, story])).values()],
    unread,
  };
  return { state: 'compared', comparison };
}

export function compareAdapter(sides: AdapterSides, options: CompareOptions): ComparisonOutcome {
  const { adapter, never, others } = sides;
  const [first] = others;
  if (first === undefined) throw new TypeError('Expected a policy to hold the adapter against.');
  const outcome = compareSides(first, adapter, options);
  if (outcome.state === 'incomparable') return outcome;
  const bases = others.includes(never) ? others : [never, ...others];
  const arms = onEqualTerms(
    [first, adapter, ...bases.filter((one) => one !== first)].map(({ name, rows }) => ({
      name,
      runs: rows.map((row) => armRunOf(row.session, row)),
    })),
  );
  const [own, last, ...further] = arms;
  const { verdict, ...conclusion } = conclude(arms, { baseline: first.name });
  const comparison = {
    ...outcome.comparison,
    verdict,
    conclusion,
    runs: { a: toSideRuns(own), b: toSideRuns(last) },
    others: further.map((arm) => ({ name: arm.name, runs: toSideRuns(arm) })),
    bill: billOf(sides, bases),
  };
  return { state: 'compared', comparison };
}

/** The first step at which two runs of a session do different things; `undefined` where they never do. */
export function findParting(a: readonly RunEvent[], b: readonly RunEvent[]) {
  const [first, second] = [toActs(a), toActs(b)];
  const place = first.findIndex(
    ({ step, words }, index) => step !== second[index]?.step || words !== second[index]?.words,
  );
  const index = place === -1 ? first.length : place;
  const [one, other] = [first[index], second[index]];
  if (one === undefined && other === undefined) return undefined;
  const step = Math.min(one?.step ?? Infinity, other?.step ?? Infinity);
  const wordsOf = (act: typeof one) => (act?.step === step ? act.words : 'nothing');
  return { step, a: wordsOf(one), b: wordsOf(other) };
}

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

function armOf(
  side: 'a' | 'b',
  [own, other]: readonly [Side, Side],
  pairs: readonly SessionPair[],
): Arm {
  const edges = new Map(own.rows.map(({ session, edgeTokens }) => [session, edgeTokens]));
  const paired = pairs.map(({ session, family, [side]: values }, index) => {
    const run = { session, family, state: 'completed', mode: own.mode, metrics: values } as const;
    return armRunOf(String(index), { ...run, edgeTokens: edges.get(session) });
  });
  const failed = own.rows
    .filter((row) => !isWhole(row))
    .map((row, index) => armRunOf(`${side} ${index}`, row));
  const against = side === 'a' ? 'b' : 'a';
  const peers = other.rows
    .filter((row) => !isWhole(row))
    .flatMap(({ session }, index) => {
      const peer = own.rows.find((row) => row.session === session && isWhole(row));
      return peer ? [armRunOf(`${against} ${index}`, peer)] : [];
    });
  return { name: own.name, runs: [...paired, ...failed, ...peers] };
}

function isWhole(row: Pick<RunRecord, 'state' | 'impossible'>) {
  return countsAs(row) === 'completed';
}

function toNet(values: NamedValues, netUsd: number | null = null): NamedValues {
  const { [COST_METRIC]: costUsd, [SAVED_METRIC]: savedUsd } = values;
  if (typeof costUsd !== 'number' || netUsd === null) return values;
  const saved = typeof savedUsd === 'number' && { [SAVED_METRIC]: savedUsd + costUsd - netUsd };
  return { ...values, [COST_METRIC]: netUsd, ...saved };
}

function toSideRuns(arm: Arm | undefined): NonNullable<Comparison['runs']>['a'] {
  return (arm?.runs ?? []).map((run) => {
    const { key, session, state, reason, costUsd, losses, areExpected, compactions, isLeast } = run;
    const tokens = costUsd === null ? run.tokens : undefined;
    return {
      key,
      session,
      state,
      ...known({ reason }),
      costUsd,
      ...known({ tokens }),
      losses,
      ...(areExpected && { areExpected }),
      compactions,
      isLeast,
    };
  });
}

function originOf({ origin, rows }: Side): Comparison['origins']['a'] {
  return { policies: [...new Set(rows.map(({ policy }) => policy))], ...origin };
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}

function billOf({ adapter, others, firstBreaks }: AdapterSides, bases: readonly RunSide[]) {
  const completed = others.map(
    ({ rows }) => new Set(rows.filter(isWhole).map(({ session }) => session)),
  );
  const own = adapter.rows.filter(
    (row) => isWhole(row) && completed.every((sessions) => sessions.has(row.session)),
  );
  const sessions = new Set(own.map(({ session }) => session));
  const session = own.find((row) => firstBreaks.has(row.session))?.session ?? '';
  const step = firstBreaks.get(session);
  return {
    sessions: own.length,
    compactions: totalOf(own, 'compactions') ?? 0,
    ineffectiveCompactions: totalOf(own, 'ineffectiveCompactions') ?? 0,
    costUsd: totalOf(own, 'costUsd'),
    summariesUsd: totalOf(own, 'costSummariesUsd'),
    inputTokens: totalOf(own, 'inputTokens') ?? 0,
    cacheBreaks: totalOf(own, 'prefixBreaks') ?? 0,
    ...(step !== undefined && { firstCacheBreak: { step, ...(own.length > 1 && { session }) } }),
    against: bases.map(({ name, rows }) => {
      const some = rows.filter((row) => sessions.has(row.session));
      const impossible = some.filter((row) => row.impossible !== undefined).length;
      const isTold = impossible > 0 && name === policies.none.name;
      const hasAll = some.length === own.length && some.every(isWhole);
      return {
        policy: name,
        ...(isTold && { impossibleSessions: impossible }),
        costUsd: hasAll ? totalOf(some, 'costUsd') : null,
        inputTokens: hasAll ? totalOf(some, 'inputTokens') : null,
      };
    }),
  };
}

function totalOf(rows: readonly RunRecord[], name: keyof RunRecord['metrics']) {
  const values = rows.flatMap((row) => row.metrics[name] ?? []);
  return values.length < rows.length ? null : sum(values);
}

function toActs(events: readonly RunEvent[]) {
  let step = 1;
  return events.flatMap((event) => {
    if ('step' in event) step = event.step;
    const words = describeAct(event);
    return words === undefined ? [] : [{ step, words }];
  });
}

function describeAct(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'overflow':
      return `overflow ${event.path}`;
    case 'prune-end':
      if (event.state !== 'fired') return undefined;
      return event.prunedTokens < 0
        ? `prune that added ${-event.prunedTokens} tokens`
        : `prune of ${event.prunedTokens} tokens`;
    case 'pivot':
      return `pivot ${event.contextBeforeTokens} to ${event.contextAfterTokens} tokens`;
    case 'step-refused':
      return `refusal of ${event.contextTokens} tokens`;
    case 'step-truncated':
      return `silent cut to ${event.keptTokens} tokens`;
    case 'summary-end':
      return event.keptTokens === undefined
        ? undefined
        : `silent cut of a summary request to ${event.keptTokens} tokens`;
    case 'moved-out':
      return `${event.messageIds.length} messages moved out`;
    case 'summary-rejected':
      return 'summary rejected';
    case 'run-end':
      return event.state === 'completed' ? undefined : event.state;
    default:
      return undefined;
  }
}

function compareCosts(
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
