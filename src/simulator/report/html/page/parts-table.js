import { choice, el, textBox } from './elements.js';
import { countCell } from './metric-table.js';
import { stepCell } from './moment-tables.js';
import { count, counted } from './numbers.js';
import { partCell, stateCell, textCell } from './part-cells.js';
import {
  isShownState,
  kindWords,
  STATE_NAMES,
  STATE_WORDS,
  stateName,
  STATES,
  textOf,
} from './parts.js';
import { shownLines } from './shown.js';
import { tableBlock } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { RunView } from '../../saved/shapes.ts' */
/** @import { Option } from './elements.js' */
/** @import { Part } from './parts.js' */
/** @import { Column } from './table.js' */

/** @type {readonly Column[]} */
const COLUMNS = [
  { title: 'Part', isNumber: true },
  { title: 'What' },
  { title: 'State' },
  { title: 'Tokens', isNumber: true },
  { title: 'Tokens at first', isNumber: true },
  { title: 'Since step', isNumber: true },
];

const IN_VIEW = 'view';

/**
 * Summaries that a request shows.
 * @param {RunView} view
 * @param {readonly Part[]} parts
 */
export function summaryBlock(view, parts) {
  const summaries = parts.filter(({ kind, state }) => kind === 'summary' && isShownState(state));
  const gone = parts.filter(({ state }) => state === STATES.summarised);
  const goneTokens = gone.reduce((sum, { firstTokens }) => sum + firstTokens, 0);
  const place = `in place of ${counted(gone.length, 'part')} with ${count(goneTokens)} tokens.`;
  return summaries.flatMap((part) => {
    const size = `${count(part.tokens)} tokens since step ${part.came + 1}`;
    const text = textOf(view, part);
    return [
      el('h3', {}, 'The summary'),
      el('p', {}, `Summary #${part.index + 1}: ${size}, ${place}`),
      ...(text === undefined ? [] : [textBox('Text of the summary', {}, shownLines(text))]),
    ];
  });
}

/**
 * Every part that has come, to be chosen by its state.
 * @param {PageData} report
 * @param {number} session
 * @param {{ readonly view: RunView, readonly parts: readonly Part[] }} seen
 */
export function partsTable(report, session, { view, parts }) {
  const rowsOf = (/** @type {readonly Part[]} */ some) =>
    some.map((part) => [
      partCell(part),
      { text: kindWords(part.kind) },
      stateCell(part),
      countCell(isShownState(part.state) ? part.tokens : 0),
      countCell(part.firstTokens),
      stepCell(report, session, part.came),
      ...(view.texts ? [textCell(textOf(view, part))] : []),
    ]);
  const filter = choice('State', { options: stateOptions(parts), value: IN_VIEW }, (wanted) =>
    table.show(rowsOf(parts.filter((part) => isWanted(part, wanted)))),
  );
  const options = {
    caption: 'Every part up to this step',
    columns: [...COLUMNS, ...(view.texts ? [{ title: 'Text', className: 'words' }] : [])],
    rows: rowsOf(parts.filter((part) => isWanted(part, IN_VIEW))),
    file: 'parts',
    isTall: true,
    onSort: () => {},
  };
  const table = tableBlock(options, filter);
  return table.block;
}

/**
 * @param {Part} part
 * @param {string} wanted
 */
function isWanted(part, wanted) {
  if (wanted === IN_VIEW) return isShownState(part.state);
  return wanted === '' || stateName(part) === wanted;
}

/**
 * @param {readonly Part[]} parts
 * @returns {readonly Option[]}
 */
function stateOptions(parts) {
  const names = STATE_NAMES.filter((name) => parts.some((part) => stateName(part) === name));
  return [
    [IN_VIEW, 'in the view'],
    ['', 'all'],
    ...names.map((name) => /** @type {const} */ ([name, STATE_WORDS[name]])),
  ];
}
