import { addToGroup, groupBy, known, sum } from '../../lib/collections.ts';
import { named } from '../../lib/names.ts';
import {
  type Condition,
  CONDITIONS,
  PROBE_KINDS,
  type ProbeKind,
  shareLeft,
  shareRight,
} from '../../metrics/probes/probe.ts';
import { countReasons } from '../../metrics/record.ts';
import {
  clip,
  type Interval,
  percentileInterval,
  rangeOfDifference,
  ruleOfThree,
  SHARE,
  tInterval,
  wilsonInterval,
} from '../../metrics/statistics/interval.ts';
import {
  COST_METRIC,
  drawResamples,
  FEW_CLUSTERS,
  geometricCostRatio,
  judgeDifference,
  type MeanDifference,
  type Pair,
  pairedMeanDifference,
} from '../../metrics/statistics/mean-difference.ts';
import {
  clusterOf,
  countEvidence,
  judge,
  SAME_RETENTION,
} from '../../metrics/statistics/verdict.ts';
import type { UnreadInput } from '../../report/report.ts';
import {
  type ArmDifference,
  type ArmMetricName,
  armMetrics,
  type ArmReport,
  isUndecided,
  keptAfter,
  shareIn,
  SUMMARIZERS_VERSION,
  type SummarizersProvenance,
  type SummarizersReport,
  type SummaryRow,
} from '../../report/summarizers-report.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { armKey } from './rows-file.ts';

export interface SummarizersInput {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
}

export interface ArmRows {
  readonly name: string;
  readonly rows: readonly SummaryRow[];
}

interface Sampling {
  readonly seed: number;
  readonly families: ReadonlyMap<string, string>;
}

/** Fewer than for means: these take longer. */
const DESCRIPTIVE_RESAMPLES = 2_000;

const COMPARED: readonly ArmMetricName[] = [
  'answered',
  'factsKept',
  'factsKeptSecond',
  'stringsKept',
  'summaryTokens',
  'costUsd',
];
const MODEL = /^ai:([^/]+)\//;
/** The share of kept facts that the scorer may miss in one kind of text and find in another. */
const FACT_ERROR = 0.1;

export function buildSummarizersReport(
  { rows, unread, provenance }: SummarizersInput,
  baseName?: string,
): SummarizersReport {
  const families = provenance.scenarios.flatMap(({ name, family }) =>
    family === undefined ? [] : [[name, family] as const],
  );
  const sampling = { seed: provenance.seed, families: new Map(families) };
  const arms = groupArms(rows);
  const byName = Object.fromEntries(arms.map((arm) => [arm.name, arm]));
  const base = baseName === undefined ? arms[0] : named('arm', byName, baseName);
  const compared = arms.flatMap((arm) =>
    base === undefined || arm === base ? [] : compareArms(base, arm, sampling),
  );
  const probes = describeReader(arms, rows, sampling);
  // Where the reader knows nothing, what it answers judges nothing.
  const isDeaf = probes !== undefined && isUndecided(probes);
  return {
    summarizersVersion: SUMMARIZERS_VERSION,
    provenance,
    arms: arms.map((arm) => summariseArm(arm, sampling)),
    differences: compared.map((found) =>
      isDeaf && found.metric === 'answered' ? { ...found, verdict: 'unjudged' } : found,
    ),
    ...known({ probes, judge: describeLabels(rows) }),
    unread,
  };
}

export function groupArms(rows: readonly SummaryRow[]) {
  const prompts = new Map(rows.map(({ promptHash, prompt }) => [promptHash, prompt]));
  const names = [...prompts.values()];
  // Several prompts stand in the names, with their hashes where two have one name.
  const nameOf = ({ summarizer, prompt, promptHash }: SummaryRow) => {
    if (prompts.size === 1) return summarizer;
    const isUnique = names.filter((name) => name === prompt).length === 1;
    return `${summarizer} with ${isUnique ? prompt : `${prompt} ${promptHash}`}`;
  };
  return [...groupBy(rows, armKey).values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({ name: nameOf(first), rows: own })),
  );
}

export function summariseArm({ name, rows }: ArmRows, sampling: Sampling) {
  const [first] = rows;
  const metrics = Object.entries(armMetrics).map(([metric, { of, range }]) => [
    metric,
    estimateMean(sessionMeans(rows, of), sampling, range),
  ]);
  const longest = rows.reduce((most, { pivots }) => Math.max(most, pivots.length), 0);
  const kinds = FACT_KINDS.flatMap((kind) => {
    const keptOf = ({ pivots: [pivot] }: SummaryRow) =>
      shareIn([pivot?.kinds[kind] ?? {}], ['kept']);
    const means = sessionMeans(rows, keptOf);
    return means.size === 0 ? [] : [[kind, estimateMean(means, sampling, SHARE)]];
  });
  return {
    name,
    summarizer: first?.summarizer ?? name,
    ...known({ settings: first?.settings }),
    model: (rows.find(({ pivots }) => pivots.length > 0) ?? first)?.model ?? name,
    prompt: first?.prompt ?? '',
    promptHash: first?.promptHash ?? '',
    metrics: Object.fromEntries(metrics) as ArmReport['metrics'],
    kinds: Object.fromEntries(kinds),
    mustFacts: countMustFacts(rows, sampling),
    keptAfter: Array.from({ length: longest }, (_, index) =>
      estimateMean(
        sessionMeans(rows, (row) => keptAfter(row, index + 1)),
        sampling,
        SHARE,
      ),
    ),
    failures: countFailures(rows),
  };
}

export function compareArms(
  base: ArmRows,
  arm: ArmRows,
  sampling: Sampling,
): readonly ArmDifference[] {
  return COMPARED.flatMap((metric) => {
    const { of, range, differs } = armMetrics[metric];
    const ofBase = sessionMeans(base.rows, of);
    const pairs = [...sessionMeans(arm.rows, of)].flatMap(([session, b]) => {
      const a = ofBase.get(session);
      return a === undefined ? [] : [{ session, a, b, cluster: clusterIn(sampling, session) }];
    });
    const found = pairedMeanDifference(pairs, sampling);
    if (found === undefined) return [];
    const counted = countSessions(
      pairs.map(({ session }) => session),
      sampling,
    );
    const ratio = metric === COST_METRIC ? geometricCostRatio(pairs) : undefined;
    return [
      {
        arm: arm.name,
        base: base.name,
        metric,
        sessions: pairs.length,
        difference: { ...toEstimate(found, rangeOfDifference(range)), ...counted },
        ...(ratio && { ratio: { ...toEstimate(ratio), ...counted } }),
        verdict: differs === undefined ? 'unjudged' : judgeMetric(metric, pairs, found.interval),
      },
    ];
  });
}

export function estimateProbes({ name, rows }: ArmRows, sampling: Sampling) {
  const own = withoutCopies(rows);
  const meansOf = (condition: Condition, kind?: ProbeKind) =>
    sessionMeans(own, ({ probes = [] }) => shareRight(probes, condition, kind));
  const estimateIn = (condition: Condition, kind?: ProbeKind) =>
    estimateMean(meansOf(condition, kind), sampling, SHARE);
  const kinds = PROBE_KINDS.filter((kind) => meansOf('compacted', kind).size > 0);
  return {
    arm: name,
    questions: sum(own.map(({ probes = [] }) => probes.length)),
    unanswered: countReasons(own.flatMap(({ unanswered = [] }) => unanswered)),
    accuracy: byCondition(estimateIn),
    left: estimateLeft(byCondition(meansOf), sampling),
    kinds: Object.fromEntries(
      kinds.map((kind) => [
        kind,
        { full: estimateIn('full', kind), compacted: estimateIn('compacted', kind) },
      ]),
    ),
  };
}

/** The mean over sessions with its interval; a family counts once, by its own mean. */
export function estimateMean(
  means: ReadonlyMap<string, number>,
  sampling: Sampling,
  range?: Interval,
) {
  const values = clustersOf(means, sampling).map(exactMean);
  const [first] = values;
  // Resamples of what is always the same are all the same.
  const isSame = first !== undefined && values.length > 1 && values.every((one) => one === first);
  const pairs = values.map((b) => ({ a: 0, b }));
  const found = isSame
    ? { value: first, interval: { low: first, high: first } }
    : pairedMeanDifference(pairs, sampling);
  return { ...toEstimate(found, range), ...countSessions(means.keys(), sampling) };
}

/** A number that is no mean, with its interval by resamples of clusters, of few by a jackknife with Student's t. */
export function estimateStatistic<Cluster>(
  clusters: readonly Cluster[],
  of: (drawn: readonly Cluster[]) => number | null,
  { seed, range }: { readonly seed: number; readonly range?: Interval },
) {
  const { length } = clusters;
  const value = length === 0 ? null : of(clusters);
  if (value === null) return toEstimate(undefined);
  const found: (number | null)[] = [];
  const isFew = length < FEW_CLUSTERS;
  if (isFew) found.push(...clusters.map((_, index) => of(clusters.toSpliced(index, 1))));
  else {
    drawResamples(length, { seed, resamples: DESCRIPTIVE_RESAMPLES }, (indices) => {
      found.push(of(Array.from(indices).flatMap((index) => clusters.slice(index, index + 1))));
    });
  }
  const values = found.filter((one) => one !== null);
  if (values.length < found.length) return toEstimate({ value, interval: null }, range);
  const interval = isFew
    ? tInterval(values.map((rest) => length * value - (length - 1) * rest))
    : percentileInterval(values, length);
  return toEstimate({ value, interval }, range);
}

function describeReader(
  arms: readonly ArmRows[],
  rows: readonly SummaryRow[],
  sampling: Sampling,
): SummarizersReport['probes'] {
  const reader = rows[0]?.reader;
  if (reader === undefined) return undefined;
  const model = rows.find((row) => row.readerModel !== undefined)?.readerModel;
  return {
    reader,
    ...known({ model }),
    ownFamily: ownFamilyOf(reader, arms),
    arms: arms.map((arm) => estimateProbes(arm, sampling)),
  };
}

/** Repetitions that cannot differ were labelled once. */
function describeLabels(all: readonly SummaryRow[]): SummarizersReport['judge'] {
  const name = all[0]?.judge;
  if (name === undefined) return undefined;
  const rows = withoutCopies(all);
  const pivots = rows.flatMap((row) => row.pivots);
  const states = pivots.flatMap(({ kinds }) => Object.values(kinds).flatMap(Object.values<number>));
  const first = (field: 'judgeModel' | 'judgeFault') => rows.find((row) => row[field])?.[field];
  return {
    name,
    ...known({ model: first('judgeModel'), fault: first('judgeFault') }),
    facts: sum(states),
    unanswered: sum(pivots.map(({ unjudged = 0 }) => unjudged)),
  };
}

function byCondition<Value>(make: (condition: Condition) => Value) {
  const entries = CONDITIONS.map((condition) => [condition, make(condition)]);
  return Object.fromEntries(entries) as Readonly<Record<Condition, Value>>;
}

function ownFamilyOf(model: string, arms: readonly ArmRows[]) {
  const family = familyOf(model);
  return arms.flatMap(({ name, rows: [first] }) =>
    family !== undefined && familyOf(first?.summarizer ?? '') === family ? [name] : [],
  );
}

function familyOf(name: string) {
  return MODEL.exec(name)?.[1];
}

function withoutCopies(rows: readonly SummaryRow[]) {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = JSON.stringify([armKey(row), row.scenario]);
    if (!row.isRandom && seen.has(key)) return false;
    if (!row.isRandom) seen.add(key);
    return true;
  });
}

/** A repetition that cannot differ is no further evidence, and a family no more than one of its sessions. */
function countMustFacts(rows: readonly SummaryRow[], sampling: Sampling) {
  const groups = groupBy(withoutCopies(rows), ({ scenario }) => scenario);
  const sessions = [...groups].flatMap(([session, own]) => {
    const pivots = own.flatMap((row) => row.pivots);
    const of = sum(pivots.map(({ mustFacts }) => mustFacts));
    const dropped = sum(pivots.map(({ mustDropped }) => mustDropped));
    return of === 0 ? [] : [[session, { of, dropped }] as const];
  });
  const clusters = clustersOf(new Map(sessions), sampling);
  const of = sum(clusters.map((own) => exactMean(own.map((counts) => counts.of))));
  const hits = sum(clusters.map((own) => exactMean(own.map(({ dropped }) => dropped))));
  const bound = hits === 0 ? ruleOfThree(of) : wilsonInterval({ hits, of }).high;
  return {
    of: sum(sessions.map(([, counts]) => counts.of)),
    dropped: sum(sessions.map(([, { dropped }]) => dropped)),
    highestRate: of === 0 ? null : bound,
  };
}

function countFailures(rows: readonly SummaryRow[]) {
  const pivots = rows.flatMap((row) => row.pivots);
  const missing = rows.flatMap((row) => (row.missing === undefined ? [] : [row.missing]));
  const states = (['failed', 'broken', 'unreached'] as const).map((state) => {
    const reasons = missing.filter((one) => one.state === state).map(({ reason }) => reason);
    return countReasons(reasons).map(({ reason, times }) => ({ reason, state, times }));
  });
  return {
    trials: rows.length,
    pivots: pivots.length,
    failed: missing.filter(({ state }) => state !== 'unreached').length,
    unreached: missing.filter(({ state }) => state === 'unreached').length,
    cut: pivots.filter(({ isCut }) => isCut).length,
    nonCompressing: pivots.filter(({ headTokens, summaryTokens }) => summaryTokens >= headTokens)
      .length,
    empty: pivots.filter(({ summaryTokens }) => summaryTokens === 0).length,
    reasons: states.flat().toSorted((a, b) => b.times - a.times),
  };
}

function judgeMetric(metric: ArmMetricName, pairs: readonly Pair[], interval: Interval | null) {
  if (metric === 'answered') return judge(interval, SAME_RETENTION);
  if (metric !== 'factsKept' && metric !== 'factsKeptSecond')
    return judgeDifference(metric, pairs, interval);
  // Only what exceeds the error of the measure itself counts.
  const region = { low: -FACT_ERROR, high: FACT_ERROR };
  const verdict = judge(interval, { at: 0, region });
  if (interval === null || verdict === 'equivalent') return verdict;
  if (interval.low > FACT_ERROR) return 'higher';
  return interval.high < -FACT_ERROR ? 'lower' : 'within noise';
}

/** A quotient of means, which is no mean of quotients. */
function estimateLeft(
  means: Readonly<Record<Condition, ReadonlyMap<string, number>>>,
  sampling: Sampling,
) {
  const sessions = new Map(
    [...means.full.keys()].map((session) => [
      session,
      byCondition((condition) => means[condition].get(session) ?? 0),
    ]),
  );
  const left = estimateStatistic(
    clustersOf(sessions, sampling),
    (drawn) =>
      shareLeft(
        byCondition((condition) =>
          exactMean(drawn.map((own) => exactMean(own.map((answered) => answered[condition])))),
        ),
      ),
    { seed: sampling.seed },
  );
  return { ...left, ...countSessions(sessions.keys(), sampling) };
}

function sessionMeans(rows: readonly SummaryRow[], of: (row: SummaryRow) => number | null) {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const value = of(row);
    if (value !== null) addToGroup(values, row.scenario, value);
  }
  return new Map([...values].map(([scenario, own]) => [scenario, exactMean(own)]));
}

/** The mean; of equal values it is that value to the last digit. */
function exactMean([first = 0, ...rest]: readonly number[]): number {
  const beyond = rest.reduce((total, value) => total + (value - first), 0);
  return first + beyond / (rest.length + 1);
}

function toEstimate(
  found: Pick<MeanDifference, 'value' | 'interval'> | undefined,
  range: Interval = { low: -Infinity, high: Infinity },
) {
  const interval = found?.interval ?? null;
  const ends = interval === null ? { low: null, high: null } : clip(interval, range);
  return { mean: found?.value ?? null, ...ends };
}

function clusterIn({ families }: Pick<Sampling, 'families'>, session: string) {
  return clusterOf({ session, family: families.get(session) });
}

function clustersOf<Value>(sessions: ReadonlyMap<string, Value>, sampling: Sampling) {
  const clusters = groupBy([...sessions], ([session]) => clusterIn(sampling, session));
  return [...clusters.values()].map((own) => own.map(([, value]) => value));
}

function countSessions(sessions: Iterable<string>, { families: all }: Sampling) {
  const members = [...sessions].map((session) => ({ session, family: all.get(session) }));
  const { sessions: count, families } = countEvidence(members);
  return { sessions: count, ...(families < count && { families }) };
}
