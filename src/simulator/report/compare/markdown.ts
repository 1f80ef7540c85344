import { codeSpan, markdownTable } from '../code-span.ts';
import { leftOutLines } from '../left-out.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import { areOfNumbers, titlesOf } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import type { Comparison, SessionDifference } from './comparison.ts';
import {
  describeDifference,
  describeSide,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from './lines.ts';

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
