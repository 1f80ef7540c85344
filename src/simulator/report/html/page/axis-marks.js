import { svg } from './elements.js';
import { short } from './numbers.js';
import { stepTicks, ticks } from './ticks.js';

/** @typedef {readonly (readonly [value: number, words: string])[]} Ticks Values of an axis, and what is told at them. */
/** @typedef {(value: number) => number} Scale Where a value lies, in pixels. */

const PIXELS_PER_STEP_MARK = 80;

/**
 * Lines over a chart, each with its value on the left.
 * @param {{ readonly left: number, readonly right: number, readonly y: Scale }} frame
 * @param {Ticks} marks
 */
export function rowMarks({ left, right, y }, marks) {
  return marks.flatMap(([value, words]) => [
    svg('line', { class: 'axis', x1: left, x2: right, y1: y(value), y2: y(value) }),
    svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words),
  ]);
}

/**
 * Words below a chart, each in the middle of its place.
 * @param {{ readonly x: Scale, readonly below: number }} frame
 * @param {Ticks} marks
 */
export function columnMarks({ x, below }, marks) {
  return marks.map(([value, words]) =>
    svg('text', { x: x(value), y: below, 'text-anchor': 'middle' }, words),
  );
}

/**
 * Round numbers of tokens from 0 on.
 * @param {number} most
 * @param {number} wanted
 * @returns {Ticks}
 */
export function tokenTicks(most, wanted) {
  return ticks(most, wanted).map((tokens) => [tokens, short(tokens)]);
}

/**
 * Some of the steps that are seen, as many as there is room for at the most, each at its middle.
 * @param {{ readonly from: number, readonly to: number }} zoom
 * @param {{ readonly width: number, readonly most: number }} room
 * @returns {Ticks}
 */
export function stepMarks({ from, to }, { width, most }) {
  const wanted = Math.min(most, width / PIXELS_PER_STEP_MARK);
  return stepTicks(to - from, wanted).map((step) => [from + step + 0.5, String(from + step + 1)]);
}
