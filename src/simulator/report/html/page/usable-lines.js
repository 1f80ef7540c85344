import { svg } from './elements.js';
import { short } from './numbers.js';
import { SIZES } from './sawtooth-frame.js';

/** @import { DrawnRun } from './unpack.js' */
/** @import { Frame } from './sawtooth-frame.js' */

/** @typedef {{ readonly at: number, readonly words: string }} Label What is said, and how far down in pixels. */

const ABOVE_LINE = 4;
const ABOVE_CHART = 11;
/** Labels nearer to one another, in pixels, would lie over each other. */
const LABEL_HEIGHT = 11;

/**
 * The limits of requests, each once.
 * @param {Frame} frame
 * @param {readonly DrawnRun[]} runs
 */
export function usableLines(frame, runs) {
  const limits = [...new Set(runs.map(({ d }) => d.usable))].filter((usable) => usable !== null);
  const right = frame.width - SIZES.right;
  const lines = limits
    .filter((usable) => usable >= 0 && isInside(frame, usable))
    .map((usable) => frame.y(usable))
    .map((level) =>
      svg('line', { class: 'usable', x1: SIZES.left, x2: right, y1: level, y2: level }),
    );
  const labels = usableLabels(frame, limits).map(({ at, words }) =>
    svg('text', { class: 'usable-text', x: right, y: at, 'text-anchor': 'end' }, words),
  );
  return [...lines, ...labels];
}

/**
 * The labels of limits, from the top down; those that are near one another share a label.
 * @param {Pick<Frame, 'y'>} frame
 * @param {readonly number[]} limits In tokens.
 * @returns {readonly Label[]}
 */
export function usableLabels(frame, limits) {
  const labels = limits.map((usable) => labelOf(frame, usable)).toSorted((a, b) => a.at - b.at);
  return labels.reduce((/** @type {readonly Label[]} */ placed, label) => {
    const last = placed.at(-1);
    if (last === undefined || label.at - last.at >= LABEL_HEIGHT) return [...placed, label];
    const words = last.words.endsWith(label.words) ? last.words : `${last.words}, ${label.words}`;
    return [...placed.slice(0, -1), { at: last.at, words }];
  }, []);
}

/**
 * @param {Pick<Frame, 'y'>} frame
 * @param {number} usable
 * @returns {Label}
 */
function labelOf(frame, usable) {
  const name = `usable ${short(usable)}`;
  if (usable < 0) return { at: frame.y(0) - ABOVE_LINE, words: `${name}: below zero` };
  return isInside(frame, usable)
    ? { at: frame.y(usable) - ABOVE_LINE, words: name }
    : { at: ABOVE_CHART, words: `${name} is above the chart` };
}

/**
 * @param {Pick<Frame, 'y'>} frame
 * @param {number} usable
 */
function isInside({ y }, usable) {
  return y(usable) >= SIZES.top;
}
