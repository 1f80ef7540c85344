import { keep } from './address.js';
import { el, filterField } from './elements.js';
import { count } from './numbers.js';
import { countRows, hasText } from './row-filter.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';

/** @import { PageCell, PageColumn, PageTable } from '../page-data.ts' */
/** @import { Cell } from './table.js' */

/** A number with what is said of it in parentheses. */
const WITH_MORE = /^(?<head>[^(]+) \((?<below>.+)\)$/;
/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 12;

/**
 * A table that the page was given, with a filter; the address keeps both it and the order.
 * @param {PageTable} given
 * @param {URLSearchParams} params
 */
export function namedTable({ id, title, caption, columns, rows }, params) {
  const [filterKey, orderKey] = [`filter-${id}`, `sort-${id}`];
  const cells = rows.map((row) => row.map((cell, place) => toCell(cell, columns[place])));
  const status = el('span', { role: 'status', class: 'soft' });
  const first = params.get(filterKey) ?? '';
  function filter(/** @type {string} */ text) {
    const some = cells.filter((row) => hasText(row, text));
    table.show(some);
    status.textContent = countRows(some, cells, 'row');
  }
  const field = filterField({ value: first }, (text) => {
    keep(filterKey, text);
    filter(text);
  });
  const options = {
    caption,
    columns: columns.map(toColumn),
    rows: cells,
    file: id,
    isTall: rows.length > MOST_ROWS,
    order: params.get(orderKey) ?? '',
    onSort: (/** @type {string} */ order) => keep(orderKey, order),
  };
  const table = tableBlock(options, field, status);
  filter(first);
  return [el('h2', {}, shown(title)), table.block];
}

/**
 * @param {PageColumn} column
 * @param {number} index
 */
function toColumn({ title, isNumber = false, isWords = false }, index) {
  const className = isWords ? 'words' : index === 0 ? 'name' : '';
  return { title, isNumber, className };
}

/**
 * @param {PageCell} cell
 * @param {PageColumn} [column]
 * @returns {Cell}
 */
function toCell(cell, column) {
  if (typeof cell === 'number') return { text: count(cell), value: cell };
  if (typeof cell === 'string') return { text: cell, ...(column?.isNumber && partsOf(cell)) };
  const { text, value, isBad = false, drawing } = cell;
  return {
    text,
    ...(value !== undefined && { value }),
    className: isBad ? 'bad' : '',
    ...(drawing !== undefined && drawing !== '' && { more: drawing, isDrawing: true }),
  };
}

/**
 * A number apart from the remarks on it, which stand below it, so that tables are not wider than a page.
 * @param {string} text
 */
function partsOf(text) {
  const { head, below } = WITH_MORE.exec(text)?.groups ?? {};
  return head === undefined || below === undefined ? {} : { head, below };
}
