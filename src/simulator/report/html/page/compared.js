import { barCharts } from './bars.js';
import { el, textBox } from './elements.js';
import { namedTable } from './named-table.js';
import { shown, shownLines } from './shown.js';

/** @import { PageData, PageDiff } from '../page-data.ts' */

/** How lines begin that were there before, that are there now, and that are there in both. */
const LINE_STARTS = /** @type {const} */ ({
  '-': { className: 'line went', words: '− baseline  ' },
  '+': { className: 'line came', words: '+ now       ' },
  ' ': { className: 'line', words: '            ' },
});

/**
 * The cells that were checked or compared in the place of runs.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function compared({ bars = [], diffs = [], tables = [], lists = [] }, params) {
  return [
    ...barCharts(bars),
    ...diffsInContext(diffs),
    ...tables.flatMap((table) => namedTable(table, params)),
    ...lists.flatMap(({ title, lines }) => {
      const items = lines.map((line) => el('li', {}, shown(line)));
      return [el('h2', {}, shown(title)), el('ul', {}, ...items)];
    }),
  ];
}

/**
 * Texts that are to be written somewhere as they stand, right below the sentences that say what for.
 * @param {PageData} report
 */
export function snippets({ snippets: given }) {
  if (given === undefined) return [];
  const { lead, texts } = given;
  const boxes = texts.flatMap(({ where, text }) => [
    el('p', {}, shown(where)),
    textBox(shown(where), {}, shownLines(text)),
  ]);
  return [...lead.map((line) => el('p', { class: 'note' }, shown(line))), ...boxes];
}

/** @param {readonly PageDiff[]} diffs */
function diffsInContext(diffs) {
  if (diffs.length === 0) return [];
  return [el('h2', {}, 'What differs, and where'), ...diffs.map(diffSection)];
}

/** @param {PageDiff} diff */
function diffSection({ title, facts, lines }) {
  const spans = lines.map(([sign, text]) => {
    const { className, words } = LINE_STARTS[sign];
    return el('span', { class: className }, `${words}${shown(text)}\n`);
  });
  return el(
    'section',
    { class: 'diff' },
    el('h3', {}, shown(title)),
    el('p', { class: 'soft' }, shown(facts)),
    textBox(shown(title), {}, ...spans),
  );
}
