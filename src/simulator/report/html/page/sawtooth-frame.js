/** @import { DrawnRun } from './unpack.js' */

/** Sizes in pixels: margins, the plot, and what lies below it. */
export const SIZES = { left: 62, right: 12, top: 18, plot: 230, lane: 17, bottom: 22 };

/** A limit this far above the tallest request is not drawn. */
const FARTHEST_LIMIT = 1.6;
const HEADROOM = 1.06;

/** @typedef {{ readonly from: number, readonly to: number }} Zoom Steps that are seen, from 0, without the last. */

/**
 * @typedef {object} Frame Where things are on a timeline, in pixels.
 * @property {Zoom} zoom
 * @property {number} width
 * @property {number} height
 * @property {number} most The value at its top.
 * @property {(step: number) => number} x
 * @property {(tokens: number) => number} y
 */

/**
 * The frame of a timeline.
 * @param {readonly DrawnRun[]} runs
 * @param {Zoom} zoom
 * @param {{ readonly width: number, readonly height: number }} size
 * @returns {Frame}
 */
export function frameOf(runs, zoom, { width, height }) {
  const most = topOf(runs, zoom);
  return {
    zoom,
    width,
    height,
    most,
    x: (step) => xOfStep(step, zoom, width),
    y: (tokens) => SIZES.top + SIZES.plot - (tokens / most) * SIZES.plot,
  };
}

/**
 * Where a step begins, in pixels.
 * @param {number} step
 * @param {Zoom} zoom
 * @param {number} width
 */
export function xOfStep(step, { from, to }, width) {
  return SIZES.left + ((step - from) / (to - from)) * plotWidth(width);
}

/** @param {number} width */
function plotWidth(width) {
  return width - SIZES.left - SIZES.right;
}

/**
 * @param {readonly DrawnRun[]} runs
 * @param {Zoom} zoom
 */
function topOf(runs, { from, to }) {
  const tallest = (/** @type {DrawnRun} */ { d }) =>
    d.context.slice(from, to).reduce((most, tokens) => Math.max(most, tokens), 0);
  const peak = Math.max(1, ...runs.map(tallest));
  const limits = runs.flatMap(({ d }) =>
    d.usable !== null && d.usable <= peak * FARTHEST_LIMIT ? [d.usable] : [],
  );
  return Math.max(peak, ...limits) * HEADROOM;
}

/**
 * The step at a place across, which may be beside the chart.
 * @param {number} pixels
 * @param {Zoom} zoom
 * @param {number} width
 */
export function stepAtPixel(pixels, zoom, width) {
  const share = (pixels - SIZES.left) / plotWidth(width);
  return Math.floor(zoom.from + share * (zoom.to - zoom.from));
}
