import { RECORDED } from '../replay/recorded.ts';
import {
  type Comparison,
  COMPARISON_VERSION,
  describeDifference,
  describeSide,
  describeUntold,
  isTold,
  leftOutLines,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from './comparison.ts';
import { type Block, renderMarkdown, renderTerminal, untrusted } from './document.ts';
import { toPageOfComparison } from './html/page-of-comparison.ts';
import { renderPage } from './html/render-page.ts';
import { unreadList } from './kept.ts';
import { armBlocks, isCopyReason, sessionBlocks } from './arm-table.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';
import { nameSessions } from './stories.ts';
import type { Arm } from './arms.ts';
import { conclude } from './verdict.ts';
import { comparisonLines } from './verdict-lines.ts';

/** Renderers of a comparison, by the names of their formats; the default first. */
export const comparisonFormats = {
  table: (comparison, terminal) =>
    renderTerminal(comparisonDocument(comparison, terminal), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison, terminal) => renderMarkdown(comparisonDocument(comparison, terminal)),
  html: (comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;

/** Breaks a line in Markdown, where the next one would go on in it. */
const BREAK = { terminal: '', markdown: '  ' };

/** Sessions that are told with the reason of their difference. */
const MOST_DIFFERENT = 5;

function comparisonDocument(
  comparison: Comparison,
  { top }: Pick<Terminal, 'top'>,
): readonly Block[] {
  const { a, b, origins, model, summarizer, seed, leftOut, unread } = comparison;
  const { stories } = comparison;
  const arms = armsOf(comparison);
  const { verdict } = comparison;
  const concluded = {
    ...conclude(arms, { baseline: b === RECORDED ? b : a }),
    ...(verdict && { verdict }),
  };
  const rows = metricRows(comparison, isTold);
  return [
    { type: 'heading', level: 2, text: 'Compaction compared' },
    { type: 'lines', lines: comparisonLines(comparison), isWrapped: true },
    {
      type: 'lines',
      lines: [
        ['A: ', untrusted(describeSide(a, origins.a)), BREAK],
        ['B: ', untrusted(describeSide(b, origins.b)), BREAK],
        [
          { terminal: '', markdown: 'Model ' },
          untrusted(model),
          ', summarizer ',
          untrusted(summarizer),
          `, seed ${seed}`,
        ],
      ],
    },
    ...(arms.length === 0
      ? []
      : [...armBlocks(arms, concluded), ...sessionBlocks(arms, { stories, top })]),
    { type: 'lines', lines: summaryLines(comparison), areItems: true, isWrapped: true },
    rows.length === 0
      ? { type: 'lines', lines: ['No metric certainly differs.'] }
      : { type: 'table', columns: METRIC_COLUMNS, rows },
    {
      type: 'lines',
      lines: [...describeUntold(comparison), ...(comparison.savings ?? [])],
      isWrapped: true,
    },
    differencesList(comparison),
    {
      type: 'list',
      title: 'Left out',
      items: leftOutLines(leftOut.filter(({ reason }) => !isCopyReason(reason))),
    },
    unreadList(unread),
    { type: 'lines', lines: originLines(comparison).map(untrusted) },
  ];
}

/** The sessions that differ most, with the reason of each. */
function differencesList({ mostDifferent, stories }: Comparison): Block {
  const names = nameSessions(
    mostDifferent.map(({ session }) => session),
    stories,
  );
  return {
    type: 'list',
    title: 'Sessions that differ most',
    items: mostDifferent
      .slice(0, MOST_DIFFERENT)
      .map((one) => [
        untrusted(names.get(one.session) ?? one.session),
        ...(one.arm === undefined ? [] : [' with ', untrusted(one.arm)]),
        `: ${describeDifference(one)}`,
      ]),
  };
}

/** Both sides with their sessions; none where a comparison does not have them. */
function armsOf({ a, b, runs }: Comparison): readonly Arm[] {
  if (runs === undefined) return [];
  return [
    { name: a, runs: runs.a },
    { name: b, runs: runs.b },
  ];
}
