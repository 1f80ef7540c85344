import {
  armsOfSides,
  type Comparison,
  COMPARISON_VERSION,
  comparisonLines,
  conclusionOf,
  describeDifference,
  describeSide,
  isTold,
  leftOutLines,
  METRIC_COLUMNS,
  metricRows,
  originLines,
  summaryLines,
} from './comparison.ts';
import { asDetails, type Block, renderMarkdown, renderTerminal, untrusted } from './document.ts';
import { toPageOfComparison } from './html/page-of-comparison.ts';
import { renderPage } from './html/render-page.ts';
import { unreadList } from './kept.ts';
import { armBlocks, isCopyReason, sessionBlocks } from './arm-table.ts';
import { jsonText } from './markup.ts';
import type { Terminal } from './report.ts';
import { formatCount } from './numbers.ts';
import { basisOf, screenEnd } from './provenance.ts';
import { NAME_WIDTH, nameSessions } from './stories.ts';
import { namePaths } from './origin.ts';

/** Renderers of a comparison, by the names of their formats; the default first. */
export const comparisonFormats = {
  table: (comparison, terminal) =>
    renderTerminal(comparisonDocument(comparison, terminal), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison, terminal) => renderMarkdown(comparisonDocument(comparison, terminal)),
  html: (comparison) => renderPage(toPageOfComparison(comparison)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;

/** Sessions that are told with the reason of their difference. */
const MOST_DIFFERENT = 5;

function comparisonDocument(comparison: Comparison, terminal: Terminal): readonly Block[] {
  const { leftOut, unread, stories } = comparison;
  const arms = armsOfSides(comparison);
  const missing = leftOut.filter(({ reason }) => !isCopyReason(reason));
  const rows = metricRows(comparison, isTold);
  const names = namePaths(
    arms.map(({ name }) => name),
    NAME_WIDTH,
  );
  const named = arms.map(({ name, runs }) => ({ name: names.get(name) ?? name, runs }));
  return [
    { type: 'heading', level: 2, text: 'Compaction compared' },
    { type: 'lines', lines: comparisonLines(comparison), isWrapped: true },
    sidesBlock(comparison),
    ...(arms.length === 0
      ? []
      : [
          ...armBlocks(arms, conclusionOf(comparison), {
            titles: ['Policy'],
            names: named.map(({ name }) => [untrusted(name)]),
          }),
          ...sessionBlocks(named, { ...terminal, stories }),
        ]),
    ...asDetails([
      { type: 'lines', lines: summaryLines(comparison), areItems: true, isWrapped: true },
      rows.length === 0
        ? { type: 'lines', lines: ['No metric certainly differs.'] }
        : { type: 'table', columns: METRIC_COLUMNS, rows },
      { type: 'lines', lines: comparison.savings ?? [], isWrapped: true },
      differencesList(comparison),
      { type: 'list', title: 'Left out', items: leftOutLines(missing, stories) },
      unreadList(unread),
      { type: 'lines', lines: originLines(comparison).map(untrusted) },
    ]),
    screenEnd(
      [
        ...basisOf(comparison),
        ...(missing.length === 0 ? [] : [`${formatCount(missing.length)} left out`]),
      ],
      unread,
    ),
  ];
}

function sidesBlock({ a, b, origins, model, summarizer, seed }: Comparison): Block {
  return {
    type: 'lines',
    lines: [
      ['A: ', untrusted(describeSide(a, origins.a))],
      ['B: ', untrusted(describeSide(b, origins.b))],
      ['Model ', untrusted(model), ', summarizer ', untrusted(summarizer), `, seed ${seed}`],
    ],
    areItems: true,
    isDetail: true,
  };
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
