import {
  type Comparison,
  COMPARISON_VERSION,
  describeDifference,
  describeSide,
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
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';
import { comparisonLines } from './verdict-lines.ts';

/** Renderers of a comparison, by the names of their formats; the default first. */
export const comparisonFormats = {
  table: (comparison, terminal) => renderTerminal(comparisonDocument(comparison), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison) => renderMarkdown(comparisonDocument(comparison)),
  html: (comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;

/** Breaks a line in Markdown, where the next one would go on in it. */
const BREAK = { terminal: '', markdown: '  ' };

function comparisonDocument(comparison: Comparison): readonly Block[] {
  const { a, b, origins, model, summarizer, seed, mostDifferent, leftOut, unread } = comparison;
  const rows = metricRows(comparison);
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
    { type: 'lines', lines: summaryLines(comparison), areItems: true },
    rows.length === 0
      ? { type: 'lines', lines: ['No metric differs in any session.'] }
      : { type: 'table', columns: METRIC_COLUMNS, rows },
    { type: 'lines', lines: comparison.savings ?? [], isWrapped: true },
    {
      type: 'list',
      title: 'Sessions that differ most',
      items: mostDifferent.map((one) => [
        untrusted(one.session),
        ...(one.arm === undefined ? [] : [' with ', untrusted(one.arm)]),
        `: ${describeDifference(one)}`,
      ]),
    },
    { type: 'list', title: 'Left out', items: leftOutLines(leftOut) },
    unreadList(unread),
    { type: 'lines', lines: originLines(comparison).map(untrusted) },
  ];
}
