import { groupBy, sum } from '../../lib/collections.ts';
import { countReasons } from '../../metrics/record.ts';
import {
  type Interval,
  type Proportion,
  rangeOfDifference,
  ruleOfThree,
  SHARE,
  wilsonInterval,
} from '../../metrics/statistics/interval.ts';
import {
  COST_METRIC,
  geometricCostRatio,
  judgeDifference,
} from '../../metrics/statistics/judge-difference.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { judge, SAME_RETENTION, type Verdict } from '../../metrics/statistics/verdict.ts';
import {
  type ArmMetricName,
  armMetrics,
  COMPARED,
  countStates,
  type MissingPivot,
  type SummaryRow,
  type SurvivalCount,
} from '../../report/arm-metrics.ts';
import type {
  ArmDifference,
  ArmFailures,
  ArmReport,
  MeanEstimate,
  MustFacts,
  SurvivalEstimate,
} from '../../report/summarizers-report.ts';
import { FACT_KINDS, type FactKind } from '../../session/facts.ts';
import { armKey, withoutCopies } from './comparable.ts';
import {
  clusterIn,
  clustersOf,
  countSessions,
  estimateMean,
  estimateShare,
  estimateStatistic,
  exactMean,
  type Sampling,
  sessionMeans,
  toEstimate,
} from './estimate.ts';

/** All rows of one arm. */
export interface ArmRows {
  readonly name: string;
  readonly rows: readonly SummaryRow[];
}

/** Survivors of each pivot. */
type SurvivalCounts = readonly SurvivalCount[];

type Pair = Parameters<typeof judgeDifference>[1][number];

const FACT_METRICS: readonly ArmMetricName[] = ['factsKept', 'factsKeptSecond'];
/** The share of kept facts that the scorer may miss in one kind of text and find in another. */
const FACT_ERROR = 0.1;

const MISSING_STATES: readonly MissingPivot['state'][] = ['failed', 'broken', 'unreached'];

/** Rows by arm, in the order of their first appearance. */
export function groupArms(rows: readonly SummaryRow[]): readonly ArmRows[] {
  const groups = [...groupBy(rows, armKey).values()];
  const name = namePrompts(rows);
  return groups.flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ name: name(first), rows: own }];
  });
}

/** Sums up an arm. */
export function summariseArm({ name, rows }: ArmRows, sampling: Sampling): ArmReport {
  const [first] = rows;
  const metrics = Object.entries(armMetrics).map(
    ([metric, own]) =>
      [
        metric,
        estimateMean(
          sessionMeans(rows, (row) => own.of(row)),
          { ...sampling, range: own.range },
        ),
      ] as const,
  );
  return {
    name,
    summarizer: first?.summarizer ?? name,
    ...(first?.settings && { settings: first.settings }),
    model: (rows.find(({ pivots }) => pivots.length > 0) ?? first)?.model ?? name,
    prompt: first?.prompt ?? '',
    promptHash: first?.promptHash ?? '',
    metrics: Object.fromEntries(metrics) as Record<ArmMetricName, MeanEstimate>,
    kinds: summariseKinds(rows, sampling),
    mustFacts: countMustFacts(rows, sampling),
    survival: estimateSurvival(rows, sampling),
    failures: countFailures(rows),
  };
}

/** Differences of each arm from the base. */
export function compareArms(
  base: ArmRows,
  others: readonly ArmRows[],
  sampling: Sampling,
): readonly ArmDifference[] {
  return others.flatMap((arm) =>
    COMPARED.flatMap((metric) => compareMetric(base, arm, { metric, sampling })),
  );
}

/** Names that tell arms apart: the prompt stands in them where there are several, its hash where two have one name. */
function namePrompts(rows: readonly SummaryRow[]): (row: SummaryRow) => string {
  const prompts = new Map(rows.map(({ promptHash, prompt }) => [promptHash, prompt]));
  const names = [...prompts.values()];
  return ({ summarizer, prompt, promptHash }) => {
    if (prompts.size === 1) return summarizer;
    const isUnique = names.filter((name) => name === prompt).length === 1;
    return `${summarizer} with ${isUnique ? prompt : `${prompt} ${promptHash}`}`;
  };
}

function summariseKinds(rows: readonly SummaryRow[], sampling: Sampling): ArmReport['kinds'] {
  const entries = FACT_KINDS.flatMap((kind) => {
    const means = sessionMeans(rows, (row) => keptOfKind(row, kind));
    return means.size === 0 ? [] : [[kind, estimateShare(means, sampling)] as const];
  });
  return Object.fromEntries(entries);
}

function keptOfKind({ pivots: [first] }: SummaryRow, kind: FactKind): number | null {
  const counts = first?.kinds[kind];
  const all = countStates(counts);
  return all === 0 ? null : (counts?.kept ?? 0) / all;
}

/**
 * The facts that must be kept, and how often they may be dropped. A repetition that cannot differ is no further evidence,
 * and a family no more than one of its sessions.
 */
function countMustFacts(rows: readonly SummaryRow[], sampling: Sampling): MustFacts {
  const sessions = [...groupBy(withoutCopies(rows), ({ scenario }) => scenario)].map(
    ([session, own]) => {
      const pivots = own.flatMap((row) => row.pivots);
      const of = sum(pivots.map(({ mustFacts }) => mustFacts));
      return [session, { of, hits: sum(pivots.map(({ mustDropped }) => mustDropped)) }] as const;
    },
  );
  const asked = sessions.filter(([, { of }]) => of > 0);
  const all = addUp(asked.map(([, counts]) => counts));
  const independent = addUp(
    clustersOf(new Map(asked), sampling).map((counts) => ({
      of: exactMean(counts.map(({ of }) => of)),
      hits: exactMean(counts.map(({ hits }) => hits)),
    })),
  );
  return { of: all.of, dropped: all.hits, highestRate: highestRateOf(independent) };
}

function addUp(counts: readonly Proportion[]): Proportion {
  return { of: sum(counts.map(({ of }) => of)), hits: sum(counts.map(({ hits }) => hits)) };
}

function highestRateOf({ hits, of }: Proportion): number | null {
  if (of === 0) return null;
  return hits === 0 ? ruleOfThree(of) : wilsonInterval({ hits, of }).high;
}

function countFailures(rows: readonly SummaryRow[]): ArmFailures {
  const pivots = rows.flatMap((row) => row.pivots);
  const missing = rows.flatMap((row) => (row.missing === undefined ? [] : [row.missing]));
  return {
    trials: rows.length,
    pivots: pivots.length,
    failed: missing.filter(({ state }) => state !== 'unreached').length,
    unreached: missing.filter(({ state }) => state === 'unreached').length,
    cut: pivots.filter(({ isCut }) => isCut).length,
    nonCompressing: pivots.filter(({ headTokens, summaryTokens }) => summaryTokens >= headTokens)
      .length,
    empty: pivots.filter(({ summaryTokens }) => summaryTokens === 0).length,
    reasons: MISSING_STATES.flatMap((state) => reasonsOf(missing, state)).toSorted(
      (a, b) => b.times - a.times,
    ),
  };
}

function reasonsOf(
  missing: readonly MissingPivot[],
  state: MissingPivot['state'],
): ArmFailures['reasons'] {
  const own = missing.filter((one) => one.state === state).map(({ reason }) => reason);
  return countReasons(own).map(({ reason, times }) => ({ reason, state, times }));
}

function compareMetric(
  base: ArmRows,
  arm: ArmRows,
  { metric, sampling }: { readonly metric: ArmMetricName; readonly sampling: Sampling },
): readonly ArmDifference[] {
  const own = armMetrics[metric];
  const of = (row: SummaryRow) => own.of(row);
  const [ofBase, ofArm] = [sessionMeans(base.rows, of), sessionMeans(arm.rows, of)];
  const both = [...ofArm.keys()].filter((session) => ofBase.has(session));
  const pairs = both.map((session) => ({
    a: ofBase.get(session) ?? 0,
    b: ofArm.get(session) ?? 0,
    cluster: clusterIn(sampling, session),
  }));
  const counted = countSessions(both, sampling);
  const found = pairedMeanDifference(pairs, sampling);
  if (found === undefined) return [];
  const ratio = metric === COST_METRIC ? geometricCostRatio(pairs) : undefined;
  const { interval } = found;
  const isUnjudged = own.differs === undefined;
  return [
    {
      arm: arm.name,
      base: base.name,
      metric,
      sessions: pairs.length,
      difference: toEstimate(found, counted, rangeOfDifference(own.range)),
      ...(ratio && { ratio: toEstimate(ratio, counted) }),
      verdict: isUnjudged ? 'unjudged' : verdictOf(metric, { pairs, interval }),
    },
  ];
}

function verdictOf(
  metric: ArmMetricName,
  { pairs, interval }: { readonly pairs: readonly Pair[]; readonly interval: Interval | null },
): Verdict {
  if (metric === 'answered') return judge(interval, SAME_RETENTION);
  if (FACT_METRICS.includes(metric)) return judgeBeyond(interval, FACT_ERROR);
  return judgeDifference(metric, pairs, interval);
}

/** A difference counts only as far as it exceeds what the measure itself may be wrong by. */
function judgeBeyond(interval: Interval | null, error: number): Verdict {
  const region = { low: -error, high: error };
  const verdict = judge(interval, { at: 0, region });
  if (interval === null || verdict === 'equivalent') return verdict;
  if (interval.low > error) return 'higher';
  return interval.high < -error ? 'lower' : 'within noise';
}

/** After Kaplan and Meier; sessions are drawn again whole, with all of their facts, and families with the mean of their sessions. */
function estimateSurvival(
  rows: readonly SummaryRow[],
  sampling: Sampling,
): readonly SurvivalEstimate[] {
  const groups = groupBy(rows, ({ scenario }) => scenario);
  const sessions = new Map(
    [...groups].map(([session, own]) => [session, meanCounts(own.map(({ survival }) => survival))]),
  );
  const clusters = clustersOf(sessions, sampling).map(meanCounts);
  return Array.from({ length: longestOf(clusters) }, (_, index) => {
    const { atRisk, lost } = sumAt(clusters, index);
    const survival = estimateStatistic(clusters, (drawn) => survivalAt(drawn, index), {
      ...sampling,
      range: SHARE,
    });
    const known = [...sessions].filter(([, counts]) => (counts[index]?.atRisk ?? 0) > 0);
    const counted = countSessions(new Map(known).keys(), sampling);
    return { pivots: index + 1, atRisk, lost, survival: { ...survival, ...counted } };
  });
}

/** Without those that were never compacted. */
function meanCounts(all: readonly SurvivalCounts[]): SurvivalCounts {
  const counted = all.filter(({ length }) => length > 0);
  return Array.from({ length: longestOf(counted) }, (_, index) => {
    const { atRisk, lost } = sumAt(counted, index);
    return { atRisk: atRisk / counted.length, lost: lost / counted.length };
  });
}

function longestOf(counts: readonly SurvivalCounts[]): number {
  return counts.reduce((most, { length }) => Math.max(most, length), 0);
}

function sumAt(counts: readonly SurvivalCounts[], index: number): SurvivalCount {
  return counts.reduce(
    (total, own) => ({
      atRisk: total.atRisk + (own[index]?.atRisk ?? 0),
      lost: total.lost + (own[index]?.lost ?? 0),
    }),
    { atRisk: 0, lost: 0 },
  );
}

/** Unknown where nothing went through so many pivots. */
function survivalAt(counts: readonly SurvivalCounts[], index: number): number | null {
  let survival = 1;
  for (let at = 0; at <= index; at++) {
    const { atRisk, lost } = sumAt(counts, at);
    if (atRisk === 0) return null;
    survival *= 1 - lost / atRisk;
  }
  return survival;
}
