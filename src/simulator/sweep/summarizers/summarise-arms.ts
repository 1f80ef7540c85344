import { COST_METRIC, judgeDifference } from '../../metrics/judge-difference.ts';
import { geometricCostRatio } from '../../metrics/statistics/cost-ratio.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { rangeOfDifference } from '../../metrics/statistics/range.ts';
import { judge, SAME_RETENTION } from '../../metrics/statistics/verdict.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { type ArmMetricName, armMetrics, COMPARED } from '../../report/summarizers/arm-metrics.ts';
import type {
  ArmDifference,
  ArmFailures,
  ArmReport,
  FailureReason,
  MeanEstimate,
} from '../../report/summarizers/summarizers-report.ts';
import type { MissingPivot, SummaryRow } from '../../report/summarizers/summary-row.ts';
import { armKey } from './comparable.ts';
import { countReasons } from '../../metrics/count-reasons.ts';
import { countMustFacts } from './count-must-facts.ts';
import { estimateDecay } from './estimate-decay.ts';
import { groupBy } from '../../group-by.ts';
import { estimateMean, estimateShare, sessionMeans, toEstimate } from './estimate.ts';
import { clusterIn, countSessions, type Sampling } from './sampling.ts';

/** All rows of one arm. */
export interface ArmRows {
  readonly name: string;
  readonly rows: readonly SummaryRow[];
}

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

/** What an arm came to. */
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
    decay: estimateDecay(rows, sampling),
    failures: countFailures(rows),
  };
}

/** What each arm has more than the base, by what arms are compared by. */
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
    const means = sessionMeans(rows, ({ pivots }) => pivots[0]?.kinds[kind] ?? null);
    return means.size === 0 ? [] : [[kind, estimateShare(means, sampling)] as const];
  });
  return Object.fromEntries(entries);
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
): readonly FailureReason[] {
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
  return [
    {
      arm: arm.name,
      base: base.name,
      metric,
      sessions: pairs.length,
      difference: toEstimate(found, counted, rangeOfDifference(own.range)),
      ...(ratio && { ratio: toEstimate(ratio, counted) }),
      verdict:
        own.unit === 'ratio'
          ? judge(found.interval, SAME_RETENTION)
          : judgeDifference(metric, pairs, found.interval),
    },
  ];
}
