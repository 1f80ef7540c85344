import { METRIC_NAMES, type MetricName } from '../../metrics/metrics.ts';
import { countsAs, type RunRecord } from '../../metrics/record.ts';
import { type Estimate, type Interval, mapInterval } from '../../metrics/statistics/interval.ts';
import { type Pair, pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { clusterOf, countEvidence } from '../../metrics/statistics/verdict.ts';
import {
  type Comparison,
  comparisonLines,
  describeDifference,
  describeSide,
  leftOutLines,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from '../comparison.ts';
import { textOf } from '../document.ts';
import type { PageData, PageMean } from './page-data.ts';
import { namesOf, pageTable } from './page-parts.ts';
import { emptyPage } from './render-page.ts';

/** A pair with its session, which may be one of several in its cluster. */
interface KnownPair extends Pair {
  readonly session: string;
}

type Completed = ReadonlyMap<string, RunRecord>;

const SESSION_COLUMNS = [
  { title: 'Session' },
  { title: 'How the runs differ', holds: 'words' },
] as const;

/** How far a policy is from what hindsight would do, and the least that this can be. */
const DISTANCES: readonly (readonly [metric: MetricName, least: number])[] = [
  ['costAboveBoundUsd', 0],
  ['missesAboveBound', 0],
  ['missedTokensToBound', 1],
  ['competitiveRatio', 1],
];

const SEED = 1;

/** Converts a comparison to a page: the verdict, then each metric and the sessions furthest apart. */
export function toPageOfComparison(comparison: Comparison): PageData {
  const { a, b, mostDifferent, leftOut, unread } = comparison;
  const names = namesOf(
    mostDifferent.map(({ session }) => session),
    comparison.stories,
  );
  const sessions = mostDifferent.map((one, place) => {
    const name = names[place] ?? one.session;
    return [one.arm === undefined ? name : `${name} with ${one.arm}`, describeDifference(one)];
  });
  const lines = leftOutLines(leftOut, comparison.stories).map(textOf);
  return {
    ...emptyPage(unread),
    title: `${b} (B) against ${a} (A)`,
    verdict: comparisonLines(comparison).map(textOf),
    notes: [...summaryLines(comparison), ...(comparison.savings ?? [])],
    tables: [
      ...pageTable('metrics', 'Metrics', {
        columns: METRIC_COLUMNS,
        rows: metricRows(comparison),
      }),
      ...pageTable('sessions', 'Sessions that differ most', {
        columns: SESSION_COLUMNS,
        rows: sessions,
      }),
    ],
    lists: lines.length === 0 ? [] : [{ title: 'Left out', lines }],
    facts: factsOf(comparison),
    evidence: originLines(comparison).join(' '),
  };
}

/** How far each group is from the bound, on average over the sessions that it completed. */
export function findDistances(groups: readonly (readonly RunRecord[])[]): readonly PageMean[] {
  return groups.flatMap((runs, group) =>
    DISTANCES.flatMap(([metric, least]) => {
      const known = [...completedOf(runs).values()].flatMap((run): readonly KnownPair[] => {
        const b = run.metrics[metric];
        return b === null ? [] : [{ a: 0, b, ...evidenceOf(run) }];
      });
      const found = pairedMeanDifference(known, { seed: SEED });
      return found === undefined
        ? []
        : toMean({ ...found, interval: cutAt(least, found.interval) }, known, { group, metric });
    }),
  );
}

function factsOf(comparison: Comparison): PageData['facts'] {
  const { a, b, origins, model, summarizer, seed } = comparison;
  return [
    { label: 'Made by', value: `compaction-bench ${origins.a.version ?? ''}`.trim() },
    { label: 'A', value: describeSide(a, origins.a) },
    { label: 'B', value: describeSide(b, origins.b) },
    { label: 'Model', value: model },
    { label: 'Summarizer', value: summarizer },
    { label: 'Seed', value: String(seed) },
  ];
}

function completedOf(runs: readonly RunRecord[]): Completed {
  const completed = runs.filter((run) => countsAs(run) === 'completed');
  return new Map(completed.map((run) => [JSON.stringify([run.session, run.seed]), run]));
}

function toMean(
  { value, interval }: Estimate,
  pairs: readonly KnownPair[],
  { group, metric }: { readonly group: number; readonly metric: MetricName },
): PageMean {
  const { sessions, families } = countEvidence(
    pairs.map(({ session, cluster }) => ({ session, family: cluster })),
  );
  return {
    group,
    metric: METRIC_NAMES.indexOf(metric),
    sessions,
    ...(families < sessions && { families }),
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

function evidenceOf(run: RunRecord): Pick<KnownPair, 'session' | 'cluster'> {
  return { session: run.session, cluster: clusterOf(run) };
}

/** Of few sessions an interval may reach where nothing can be. */
function cutAt(least: number, interval: Interval | null): Interval | null {
  return mapInterval(interval, (end) => Math.max(least, end));
}
