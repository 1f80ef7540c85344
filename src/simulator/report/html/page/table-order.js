/** @import { Cell, Column } from './table.js' */

const NUMBER_AT_START = /^[-+]?\$?[\d,]+(\.\d+)?/;
/** What is larger than every number, as a half-life without loss. */
const WITHOUT_END = '∞';

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
