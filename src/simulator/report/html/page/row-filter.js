import { count, counted } from './numbers.js';
import { shown } from './shown.js';

/** @import { Cell } from './table.js' */

/**
 * True if one of the cells contains a text, in any case.
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
