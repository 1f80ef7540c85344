import { alignRows } from '../align-rows.ts';
import { leftOutLines } from '../left-out.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import type { Comparison } from './comparison.ts';
import { describeDifference, METRIC_TITLES, metricRows, summaryLines } from './lines.ts';

/** The comparison for a terminal. */
export function renderComparisonTable(comparison: Comparison): string {
  const { a, b, model, summarizer, mostDifferent, leftOut, unread } = comparison;
  const rows = metricRows(comparison);
  const sections = [
    [`A: ${a}`, `B: ${b}`, `${model}, summarizer ${summarizer}`].map(shownText).join('\n'),
    summaryLines(comparison).join('\n'),
    rows.length === 0 ? 'No metric differs in any session.' : alignRows([METRIC_TITLES, ...rows]),
    listSection(
      'Sessions that differ most:',
      mostDifferent.map((one) => `${nameOf(one)}: ${describeDifference(one)}`),
    ),
    listSection('Left out:', leftOutLines(leftOut)),
    listSection('Unread:', unread.map(describeUnread)),
  ];
  return joinSections(sections);
}

function nameOf({ session, arm }: { readonly session: string; readonly arm?: string }): string {
  return arm === undefined ? session : `${session} with ${arm}`;
}
