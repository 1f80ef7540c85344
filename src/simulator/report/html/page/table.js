import { button, el, saveButton, textBox, unfolding } from './elements.js';
import { fileName, save } from './save.js';
import { brokenAtSlashes } from './path-name.js';
import { shown, shownLines } from './shown.js';

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
 * @property {Node} [mark] A drawing before the text.
 * @property {string} [below] Words of less weight below it.
 * @property {string} [head] The part of the text that stands above what is below.
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

/** Begins what a spreadsheet would run as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;
const NUMBER_AT_START = /^[-+]?\$?[\d,]+(\.\d+)?/;
/** Stands for a value without end, such as a half-life without loss. */
const WITHOUT_END = '∞';

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

/**
 * A table as comma-separated values; numbers without their units, and nothing that a spreadsheet would run.
 * @param {readonly Pick<Column, 'title'>[]} columns
 * @param {readonly (readonly Cell[])[]} rows
 */
export function toCsv(columns, rows) {
  const heads = columns.map(({ title }) => title);
  const values = rows.map((row) =>
    row.map(({ text, value }) => (value === undefined ? text : value)),
  );
  return [heads, ...values].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/**
 * The order after a click on the head of a column: descending, then ascending, then as it was.
 * @param {string} order
 * @param {number} index
 */
export function turnedOrder(order, index) {
  if (order === `${index}:descending`) return `${index}:ascending`;
  return order === `${index}:ascending` ? '' : `${index}:descending`;
}

/**
 * Rows in an order; what is unknown comes last either way.
 * @param {readonly (readonly Cell[])[]} rows
 * @param {readonly Column[]} columns
 * @param {string} order
 */
export function sortRows(rows, columns, order) {
  const [place = '', direction] = order.split(':');
  const index = Number(place);
  const column = columns[index];
  if (order === '' || column === undefined) return rows;
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [left, right] = [sortValue(column, a[index]), sortValue(column, b[index])];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compareValues(left, right);
  });
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
 * A box that scrolls by itself where it is too wide for the page.
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
  return el('th', { scope: 'row', ...looksOf(cell, column) }, ...wholeOf(cell));
}

/**
 * @param {Cell} cell
 * @param {Column} [column]
 */
function valueOf(cell, column) {
  return el('td', looksOf(cell, column), ...wholeOf(cell));
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
function wholeOf(cell) {
  const { mark, below } = cell;
  return [mark, ...contentOf(cell), below ? el('div', { class: 'soft' }, below) : undefined];
}

/** @param {Cell} cell */
function contentOf({ text, head = text, chip, href, more, isDrawing = false }) {
  if (chip) return [el('span', { class: `chip ${chip}` }, shown(text))];
  const words = brokenAtSlashes(head);
  if (href) return [el('a', { href }, ...words)];
  if (more === undefined) return words;
  const className = isDrawing ? 'text drawing' : 'text';
  return [unfolding(words, () => textBox('Whole text', { className }, shownLines(more)))];
}

/** @param {string | number | null} value */
function csvCell(value) {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * @param {Column} column
 * @param {Cell} [cell]
 */
function sortValue({ isNumber }, cell) {
  if (cell === undefined) return null;
  if (cell.value !== undefined) return cell.value;
  return isNumber ? numberIn(cell.text) : cell.text;
}

/** @param {string} text */
function numberIn(text) {
  if (text.startsWith(WITHOUT_END)) return Number.POSITIVE_INFINITY;
  const [found] = NUMBER_AT_START.exec(text) ?? [];
  return found === undefined ? null : Number(found.replace(/[$,]/g, ''));
}

/**
 * @param {number | string} left
 * @param {number | string} right
 */
function compareValues(left, right) {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left === right) return 0;
  return String(left) < String(right) ? -1 : 1;
}
