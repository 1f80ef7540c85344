import type { Comparison, MetricComparison } from '../compare/comparison.ts';
import {
  describeDifference,
  describeSide,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from '../compare/lines.ts';
import { leftOutLines } from '../left-out.ts';
import { emptyPage } from './empty-page.ts';
import type { PageBars, PageData } from './page-data.ts';
import { pageTable } from './page-table.ts';

const SESSION_COLUMNS = [
  { title: 'Session' },
  { title: 'How the runs differ', holds: 'words' },
] as const;

/** What a page shows of two policies or files of results: the verdict, then each metric and the sessions furthest apart. */
export function toPageOfComparison(comparison: Comparison): PageData {
  const { a, b, mostDifferent, leftOut, unread } = comparison;
  const sessions = mostDifferent.map((one) => [
    one.arm === undefined ? one.session : `${one.session} with ${one.arm}`,
    describeDifference(one),
  ]);
  const lines = leftOutLines(leftOut);
  return {
    ...emptyPage(unread),
    title: `${b} (B) against ${a} (A)`,
    notes: summaryLines(comparison),
    bars: toBars(comparison),
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

/** Amounts of several units side by side: each as a share of what the first arm has. */
function toBars({ metrics }: Comparison): readonly PageBars[] {
  const bars = metrics.filter(isShare).map(({ label, meanA, difference, pairs }) => {
    const { value, interval } = difference;
    const share = (amount: number | undefined) => (amount === undefined ? null : amount / meanA);
    const [low, high] = [share(interval?.low), share(interval?.high)];
    return { name: label, value: value / meanA, low, high, sessions: pairs };
  });
  return bars.length === 0 ? [] : [{ title: 'B − A, as a share of A', unit: 'ratio', bars }];
}

/** Only what was named before anything was measured, and of which there is something to have a share of. */
function isShare({ pValue, meanA, unit }: MetricComparison): boolean {
  return pValue !== undefined && meanA > 0 && unit !== 'ratio' && unit !== 'factor';
}
