/** @import { Zoom } from './sawtooth-frame.js' */

/** Nothing closer can be seen, in steps. */
const LEAST_SPAN = 5;

/**
 * The part of so many steps that is nearest to what is asked for.
 * @param {Zoom} wanted
 * @param {number} steps
 * @returns {Zoom}
 */
export function zoomWithin({ from, to }, steps) {
  const least = Math.min(LEAST_SPAN, steps);
  const span = Math.max(least, Math.min(steps, Math.round(to - from)));
  const start = Math.max(0, Math.min(steps - span, Math.round(from)));
  return { from: start, to: start + span };
}

/**
 * A wider or closer part around a step that stays where it is.
 * @param {Zoom} zoom
 * @param {number} factor
 * @param {number} around
 * @returns {Zoom}
 */
export function scaledZoom({ from, to }, factor, around) {
  const start = around - (around - from) * factor;
  return { from: start, to: start + (to - from) * factor };
}

/**
 * A part of the same width in which a step is seen.
 * @param {Zoom} zoom
 * @param {number} step
 * @returns {Zoom}
 */
export function zoomTo({ from, to }, step) {
  if (step < from) return { from: step, to: step + to - from };
  return step < to ? { from, to } : { from: step + 1 - (to - from), to: step + 1 };
}
