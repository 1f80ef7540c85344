import { count, counted } from './numbers.js';
import { shown } from './shown.js';

/** @import { Cell } from './table.js' */

/**
 * Whether one of the cells has a text in it, however it is written.
 * @param {readonly Cell[]} cells
 * @param {string} text
 */
export function hasText(cells, text) {
  const wanted = text.toLowerCase();
  return cells.some((cell) => shown(cell.text).toLowerCase().includes(wanted));
}

/**
 * How many rows of all are shown.
 * @param {readonly unknown[]} some
 * @param {readonly unknown[]} all
 * @param {string} word
 */
export function countRows(some, all, word) {
  const part = some.length === all.length ? '' : `${count(some.length)} of `;
  return `${part}${counted(all.length, word)}`;
}
