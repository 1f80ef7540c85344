import { toCsv } from './csv.js';
import { button, el, saveButton, textBox, unfolding } from './elements.js';
import { fileName, save } from './save.js';
import { brokenAtSlashes } from './path-name.js';
import { shown, shownLines } from './shown.js';
import { sortRows, turnedOrder } from './table-order.js';

/** @import { Child } from './elements.js' */

/**
 * @typedef {object} Cell
 * @property {string} text
 * @property {number | string | null} [value] What the text stands for; `null` where that is unknown.
 * @property {string | undefined} [href]
 * @property {string | undefined} [className]
 * @property {string | undefined} [title]
 * @property {string} [chip] A kind, by which it is coloured.
 * @property {string} [more] A long text behind it.
 * @property {boolean} [isDrawing] Whether that is a drawing of characters.
 */

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {boolean} [isNumber]
 * @property {string} [describes]
 * @property {string | undefined} [className]
 */

/**
 * @typedef {object} TableOptions
 * @property {string} caption
 * @property {readonly Column[]} columns
 * @property {readonly (readonly Cell[])[]} rows The first cell of a row names it.
 * @property {string} file
 * @property {boolean} [isTall] Whether it scrolls by itself.
 * @property {string} [order] How its rows lie at first.
 * @property {(order: string) => void} [onSort] Absent where nobody can sort it.
 */

/**
 * A table with its button.
 * @param {TableOptions} options
 * @param {readonly Child[]} controls
 */
export function tableBlock(options, ...controls) {
  const { caption, columns, file } = options;
  const table = makeTable(options);
  const csv = () => save(`${fileName(file)}.csv`, 'text/csv', toCsv(columns, table.sorted()));
  const bar = el(
    'div',
    { class: 'bar' },
    ...controls,
    saveButton('CSV', `Save as CSV: ${caption}`, csv),
  );
  return { block: el('div', {}, bar, table.box), show: table.show };
}

/** @param {TableOptions} options */
function makeTable({ caption, columns, rows, order: first = '', onSort, isTall = false }) {
  let [order, current] = [first, rows];
  const body = el('tbody');
  const heads = columns.map((column, index) =>
    headOf(
      column,
      onSort === undefined
        ? undefined
        : () => {
            order = turnedOrder(order, index);
            onSort(order);
            draw();
          },
    ),
  );
  const sorted = () => sortRows(current, columns, order);
  function draw() {
    heads.forEach((head, index) => markOrder(head, index, order));
    body.replaceChildren(...sorted().map((row) => rowOf(row, columns)));
  }
  /** @param {TableOptions['rows']} some */
  function show(some) {
    current = some;
    draw();
  }
  draw();
  const head = el('thead', {}, el('tr', {}, ...heads));
  const table = el('table', {}, el('caption', {}, caption), head, body);
  return { box: scrollBox({ label: caption, isTall }, table), sorted, show };
}

/**
 * What scrolls by itself where it is too wide for the page.
 * @param {{ readonly label: string, readonly isTall?: boolean }} look
 * @param {Node} content
 */
export function scrollBox({ label, isTall = false }, content) {
  const look = { class: isTall ? 'scroll tall' : 'scroll', tabindex: '0' };
  return el('div', { ...look, role: 'region', 'aria-label': label }, content);
}

/**
 * @param {Column} column
 * @param {(() => void) | undefined} turn
 */
function headOf({ title, isNumber, describes }, turn) {
  const words = shown(title);
  const look = { scope: 'col', class: isNumber ? 'number' : undefined, title: describes };
  return el('th', look, turn === undefined || words === '' ? words : button(words, turn));
}

/**
 * @param {Element} head
 * @param {number} index
 * @param {string} order
 */
function markOrder(head, index, order) {
  const [sortedIndex, direction = ''] = order.split(':');
  if (order !== '' && String(index) === sortedIndex) head.setAttribute('aria-sort', direction);
  else head.removeAttribute('aria-sort');
}

/**
 * @param {readonly Cell[]} row
 * @param {readonly Column[]} columns
 */
function rowOf(row, columns) {
  return el(
    'tr',
    {},
    ...row.map((cell, index) => (index === 0 ? nameOf : valueOf)(cell, columns[index])),
  );
}

/**
 * @param {Cell} cell
 * @param {Column} [column]
 */
function nameOf(cell, column) {
  return el('th', { scope: 'row', ...looksOf(cell, column) }, ...contentOf(cell));
}

/**
 * @param {Cell} cell
 * @param {Column} [column]
 */
function valueOf(cell, column) {
  return el('td', looksOf(cell, column), ...contentOf(cell));
}

/**
 * @param {Cell} cell
 * @param {Column} [column]
 */
function looksOf({ className = '', title }, column) {
  const ofColumn = column?.isNumber ? 'number' : (column?.className ?? '');
  return { class: `${ofColumn} ${className}`.trim() || undefined, title };
}

/** @param {Cell} cell */
function contentOf({ text, chip, href, more, isDrawing = false }) {
  if (chip) return [el('span', { class: `chip ${chip}` }, shown(text))];
  const words = brokenAtSlashes(text);
  if (href) return [el('a', { href }, ...words)];
  if (more === undefined) return words;
  const className = isDrawing ? 'text drawing' : 'text';
  return [unfolding(words, () => textBox('Whole text', { className }, shownLines(more)))];
}
