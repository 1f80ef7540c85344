import {
  METRIC_NAMES,
  type MetricName,
  metrics,
  type MetricValues,
  titleOf,
} from '../../metrics/metrics.ts';
import type { Metric } from '../../metrics/metric.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { describeEvidence, provenanceFacts } from '../provenance-facts.ts';
import type { RenderOptions, Report } from '../report.ts';
import { totalPolicies } from '../totals.ts';
import { findDifferences, findDistances } from './differences.ts';
import { countOf } from '../numbers.ts';
import type { PageData, PageMetric, PageRun, RunDetail } from './page-data.ts';
import { findPeers } from './peers.ts';
import { rulesOf } from './rules.ts';
import { toRunDetail } from './run-detail.ts';

/** What is known of runs besides their records. */
export type Pictures = Pick<RenderOptions, 'eventsOf' | 'viewOf'>;

const MAIN_METRICS: readonly MetricName[] = [
  'steps',
  'peakContextTokens',
  'overflows',
  'refusals',
  'compactions',
  'prunes',
  'tokensSaved',
  'costUsd',
  'costSavedUsd',
  'hitRate',
  'misses',
  'missesAboveBound',
  'regretUsd',
  'competitiveRatio',
  'costAboveBoundUsd',
  'gonePaths',
];

/** All metrics as a page tells them. */
export const PAGE_METRICS: readonly PageMetric[] = METRIC_NAMES.map((name) => {
  const { unit, better, describes }: Metric = metrics[name];
  return {
    name,
    label: titleOf(name),
    unit,
    ...(better && { better }),
    describes,
    isMain: MAIN_METRICS.includes(name),
  };
});

/** The values of some metrics in the order of a page. */
export function toValues(values: MetricValues): readonly (number | null)[] {
  return METRIC_NAMES.map((name) => values[name]);
}

/** What a page shows of a report of runs; pictures of those whose events are known. */
export function toPageOfRuns(report: Report, pictures: Pictures): PageData {
  const { runs, provenance, unread } = report;
  const totals = totalPolicies(runs);
  const sessions = [...new Set(runs.map(({ session }) => session))];
  const byPolicy = totals.map(({ policy }) => runs.filter((run) => run.policy === policy));
  const groupOf = new Map(totals.map(({ policy }, index) => [policy, index]));
  const sessionOf = new Map(sessions.map((session, index) => [session, index]));
  const pageRuns = runs.map((run): PageRun => {
    const place = { s: sessionOf.get(run.session) ?? 0, g: groupOf.get(run.policy) ?? 0 };
    return toPageRun(run, place, detailOf(run, pictures));
  });
  return {
    title: `Compaction of ${countOf(sessions.length, 'session')}`,
    groupTitles: ['Policy'],
    peers: findPeers(totals, pageRuns),
    groups: totals.map(({ policy, metrics: values, ...counts }) => {
      return {
        names: [policy],
        runs: counts.runs,
        completedRuns: counts.completedRuns,
        values: toValues(values),
        rules: rulesOf(provenance.policies.find(({ name }) => name === policy) ?? {}),
      };
    }),
    metrics: PAGE_METRICS,
    sessions,
    runs: pageRuns,
    differences: findDifferences(byPolicy),
    bounds: findDistances(byPolicy),
    notes: notesOf(pageRuns),
    facts: provenanceFacts(provenance),
    evidence: describeEvidence(provenance),
    unread,
  };
}

/** A run as a page has it. */
export function toPageRun(
  {
    seed,
    state,
    reason,
    metrics: values,
  }: Pick<RunRecord, 'seed' | 'state' | 'reason' | 'metrics'>,
  place: Pick<PageRun, 's' | 'g'>,
  detail?: RunDetail,
): PageRun {
  return {
    ...place,
    seed,
    state,
    ...(reason !== undefined && { reason }),
    v: toValues(values),
    ...(detail && { d: detail }),
  };
}

/** The steps of a run, where its events are known. */
export function detailOf(run: RunRecord, { eventsOf, viewOf }: Pictures): RunDetail | undefined {
  const events = eventsOf?.(run);
  return events && toRunDetail(events, viewOf?.(run));
}

function notesOf(runs: readonly PageRun[]): readonly string[] {
  const without = runs.filter(({ d, state }) => d === undefined && state !== 'skipped').length;
  if (without === 0) return [];
  const which = without === runs.length ? 'The runs' : countOf(without, 'run');
  const have =
    without === 1 && without < runs.length ? 'has no timeline: its' : 'have no timeline: their';
  return [`${which} ${have} events were not saved (run --events FILE).`];
}
