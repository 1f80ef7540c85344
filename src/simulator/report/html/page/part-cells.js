import { UNKNOWN } from './numbers.js';
import { STATE_WORDS, stateName } from './parts.js';

/** @import { Part } from './parts.js' */
/** @import { Cell } from './table.js' */

/** Characters that a preview is made of, and those that it has. */
const PREVIEWED = 200;
const PREVIEW = 60;

/**
 * The number of a part as a cell.
 * @param {Part} part
 * @returns {Cell}
 */
export function partCell({ index }) {
  return { text: `#${index + 1}`, value: index + 1 };
}

/**
 * The state of a part, as a cell.
 * @param {Part} part
 * @returns {Cell}
 */
export function stateCell(part) {
  const name = stateName(part);
  return { text: STATE_WORDS[name], chip: name };
}

/**
 * A text as a cell that unfolds.
 * @param {string} [text]
 * @returns {Cell}
 */
export function textCell(text) {
  if (text === undefined) return { text: UNKNOWN, value: null };
  return { text: previewOf(text), value: text, more: text };
}

/** @param {string} text */
function previewOf(text) {
  const line = text.slice(0, PREVIEWED).replace(/\s+/g, ' ');
  return line.length > PREVIEW ? `${line.slice(0, PREVIEW)} …` : line;
}
