import { tableSections } from '../fit-columns.ts';
import { leftOutLines } from '../left-out.ts';
import type { Terminal } from '../report.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import type { Comparison } from './comparison.ts';
import {
  describeDifference,
  describeSide,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from './lines.ts';

/** The comparison for a terminal. */
export function renderComparisonTable(comparison: Comparison, terminal: Terminal): string {
  const { a, b, origins, mostDifferent, leftOut, unread } = comparison;
  const above = [
    [
      `A: ${describeSide(a, origins.a)}`,
      `B: ${describeSide(b, origins.b)}`,
      describeMet(comparison),
    ]
      .map(shownText)
      .join('\n'),
    summaryLines(comparison).join('\n'),
  ];
  const below = [
    listSection(
      'Sessions that differ most:',
      mostDifferent.map((one) => `${nameOf(one)}: ${describeDifference(one)}`),
    ),
    listSection('Left out:', leftOutLines(leftOut)),
    listSection('Unread:', unread.map(describeUnread)),
    originLines(comparison).map(shownText).join('\n'),
  ];
  return joinSections([
    ...above.map((text) => fitProse(text, terminal)),
    ...renderMetrics(comparison, terminal),
    ...below.map((text) => fitProse(text, terminal)),
  ]);
}

function describeMet({ model, summarizer, seed }: Comparison): string {
  return `${model}, summarizer ${summarizer}, seed ${seed}`;
}

function renderMetrics(comparison: Comparison, terminal: Terminal): readonly string[] {
  const rows = metricRows(comparison);
  if (rows.length === 0) return ['No metric differs in any session.'];
  return tableSections({ columns: METRIC_COLUMNS, rows }, terminal, 'markdown');
}

function nameOf({ session, arm }: { readonly session: string; readonly arm?: string }): string {
  return arm === undefined ? session : `${session} with ${arm}`;
}
