import { shownText } from '../shown-text.ts';
import { alignRows } from '../statistics/cells.ts';
import { describeUnread } from '../unread.ts';
import type { Comparison } from './comparison.ts';
import { describeDifference, METRIC_TITLES, metricRows, summaryLines } from './lines.ts';

/** The comparison for a terminal. */
export function renderComparisonTable(comparison: Comparison): string {
  const { a, b, model, summarizer, mostDifferent, leftOut, unread } = comparison;
  const rows = metricRows(comparison);
  const sections = [
    [`A: ${a}`, `B: ${b}`, `${model}, summaries ${summarizer}`].map(shownText).join('\n'),
    summaryLines(comparison).join('\n'),
    rows.length === 0 ? 'No metric differs in any session.' : alignRows([METRIC_TITLES, ...rows]),
    list(
      'Sessions that differ most:',
      mostDifferent.map((one) => `${nameOf(one)}: ${describeDifference(one)}`),
    ),
    list(
      'Left out:',
      leftOut.map(({ session, reason }) => `${session}: ${reason}`),
    ),
    list('Unread:', unread.map(describeUnread)),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function nameOf({ session, arm }: { readonly session: string; readonly arm?: string }): string {
  return arm === undefined ? session : `${session} with ${arm}`;
}

function list(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownText(item)}`)].join('\n');
}
