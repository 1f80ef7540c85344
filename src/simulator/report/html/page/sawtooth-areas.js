import { columnMarks, rowMarks, stepMarks, tokenTicks } from './axis-marks.js';
import { svg } from './elements.js';
import { colorOf } from './names.js';
import { SIZES } from './sawtooth-frame.js';

/** @import { RunDetail } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */
/** @import { Frame } from './sawtooth-frame.js' */

/** @typedef {Pick<Frame, 'zoom' | 'x' | 'y'>} StepFrame */

const ROWS = 5;
const MOST_STEP_MARKS = 10;
/** The width of the axis name, in pixels. */
const AXIS_NAME = 44;

/**
 * Lines of the chart with their values, and marks of steps.
 * @param {Frame} frame
 */
export function axes({ zoom, width, height, most, x, y }) {
  const [left, right, below] = [SIZES.left, width - SIZES.right, height - 6];
  const marks = stepMarks(zoom, { width, most: MOST_STEP_MARKS });
  const beside = marks.filter(([step]) => x(step) < right - AXIS_NAME);
  return [
    ...rowMarks({ left, right, y }, tokenTicks(most, ROWS)),
    ...columnMarks({ x, below }, beside),
    svg('text', { x: left, y: 11 }, 'tokens'),
    svg('text', { x: right, y: below, 'text-anchor': 'end' }, 'step'),
  ];
}

/**
 * The tokens that each request read from the cache, wrote to it, and neither.
 * @param {Frame} frame
 * @param {RunDetail} detail
 */
export function stack(frame, { context, cached, written }) {
  const zero = context.map(() => 0);
  const known = context.map((_, step) => (cached[step] ?? 0) + (written[step] ?? 0));
  return [
    svg('path', { class: 'area-cached', d: band(frame, zero, cached) }),
    svg('path', { class: 'area-written', d: band(frame, cached, known) }),
    svg('path', { class: 'area-fresh', d: band(frame, known, context) }),
  ];
}

/**
 * The area between two heights of each visible step.
 * @param {StepFrame} frame
 * @param {readonly number[]} low
 * @param {readonly number[]} high
 */
export function band(frame, low, high) {
  const there = stairs(frame, high);
  if (there.length === 0) return '';
  return `M${[...there, ...stairs(frame, low).toReversed()].join('L')}Z`;
}

/**
 * The outline of what a run held.
 * @param {Frame} frame
 * @param {DrawnRun} run
 */
export function outline(frame, { d, g }) {
  const path = stairs(frame, d.context).join('L');
  return svg('path', {
    d: path === '' ? '' : `M${path}`,
    fill: 'none',
    style: `stroke:${colorOf(g)}`,
    'stroke-width': '1.5',
    'stroke-linejoin': 'round',
  });
}

/**
 * Two points for each step that is seen.
 * @param {StepFrame} frame
 * @param {readonly number[]} values
 */
function stairs({ zoom, x, y }, values) {
  return values.slice(zoom.from, zoom.to).flatMap((tokens, index) => {
    const [step, level] = [zoom.from + index, y(tokens).toFixed(1)];
    return [`${x(step).toFixed(1)} ${level}`, `${x(step + 1).toFixed(1)} ${level}`];
  });
}
