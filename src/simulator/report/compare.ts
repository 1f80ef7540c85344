import {
  type Comparison,
  COMPARISON_VERSION,
  describeDifference,
  describeSide,
  leftOutLines,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  type SessionDifference,
  summaryLines,
} from './comparison.ts';
import { toPageOfComparison } from './html/page-of-comparison.ts';
import { renderPage } from './html/render-page.ts';
import { describeUnread } from './kept.ts';
import {
  codeSpan,
  joinMarkdown,
  joinSections,
  jsonText,
  listSection,
  markdownList,
  markdownTable,
  shownText,
} from './markup.ts';
import { fitProse } from './prose.ts';
import type { Terminal } from './report.ts';
import { areOfNumbers, tableSections, titlesOf } from './text-table.ts';

/** How a comparison is written down, by name; the default first. */
export const comparisonFormats = {
  table: renderComparisonTable,
  json: renderComparisonJson,
  markdown: renderComparisonMarkdown,
  html: (comparison: Comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;

/** Everything, for programs. */
export function renderComparisonJson(comparison: Comparison): string {
  const document = { comparisonVersion: COMPARISON_VERSION, ...comparison };
  return jsonText(document);
}

/** The comparison for a pull request: names from outside stand in code spans, where nothing is obeyed. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const { a, b, origins, model, summarizer, seed, mostDifferent, leftOut, unread } = comparison;
  const sections = [
    ['## Compaction compared'],
    [
      `A: ${codeSpan(describeSide(a, origins.a))}  `,
      `B: ${codeSpan(describeSide(b, origins.b))}  `,
      `Model ${codeSpan(model)}, summarizer ${codeSpan(summarizer)}, seed ${seed}`,
    ],
    summaryLines(comparison).map((line) => `- ${line}`),
    renderMetrics(comparison),
    renderSessions(mostDifferent),
    markdownList('Left out', leftOutLines(leftOut, codeSpan)),
    markdownList(
      'Unread',
      unread.map((input) => codeSpan(describeUnread(input))),
    ),
    originLines(comparison).map(codeSpan),
  ];
  return joinMarkdown(sections);
}

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
    ...renderMetricsOfTable(comparison, terminal),
    ...below.map((text) => fitProse(text, terminal)),
  ]);
}

function renderMetrics(comparison: Comparison): readonly string[] {
  const rows = metricRows(comparison);
  if (rows.length === 0) return ['No metric differs in any session.'];
  return markdownTable(titlesOf(METRIC_COLUMNS), rows, areOfNumbers(METRIC_COLUMNS));
}

function renderSessions(sessions: readonly SessionDifference[]): readonly string[] {
  return markdownList(
    'Sessions that differ most',
    sessions.map((one) => {
      const arm = one.arm === undefined ? '' : ` with ${codeSpan(one.arm)}`;
      return `${codeSpan(one.session)}${arm}: ${shownText(describeDifference(one))}`;
    }),
  );
}

function describeMet({ model, summarizer, seed }: Comparison): string {
  return `${model}, summarizer ${summarizer}, seed ${seed}`;
}

function nameOf({ session, arm }: { readonly session: string; readonly arm?: string }): string {
  return arm === undefined ? session : `${session} with ${arm}`;
}

function renderMetricsOfTable(comparison: Comparison, terminal: Terminal): readonly string[] {
  const rows = metricRows(comparison);
  if (rows.length === 0) return ['No metric differs in any session.'];
  return tableSections({ columns: METRIC_COLUMNS, rows }, terminal, 'markdown');
}
