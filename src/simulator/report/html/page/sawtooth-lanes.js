import { svg } from './elements.js';
import { momentsOf } from './moments.js';
import { colorOf } from './names.js';
import { duration } from './numbers.js';
import { pauseAt } from './requests.js';
import { SIZES } from './sawtooth-frame.js';

/** @import { DrawnRun } from './unpack.js' */
/** @import { Frame, Zoom } from './sawtooth-frame.js' */
/** @import { Kind } from './moments.js' */

/** @type {readonly (readonly [kind: Kind, label: string])[]} */
const LANES = [
  ['overflow', 'Overflow'],
  ['prune', 'Prune'],
  ['pivot', 'Compaction'],
  ['refusal', 'Refusal'],
  ['failure', 'Failure'],
  ['miss', 'Loss'],
  ['law', 'Law'],
  ['cold', 'Idle gap'],
];

const SMALL = 'font-size:9px';
const DOT_RADIUS = 3.6;
/** How far the dots of one run lie from those of the next, in pixels. */
const DOT_SHIFT = 3;
const LETTER_WIDTH = 5;
const LABEL_GAP = 6;

/**
 * @typedef {object} Lane A row of dots: where one kind of moment happened.
 * @property {Kind} kind
 * @property {string} label
 * @property {readonly (readonly number[])[]} steps Of each run.
 */

/**
 * The lanes of what happened in any of the runs.
 * @param {readonly DrawnRun[]} runs
 * @returns {readonly Lane[]}
 */
export function lanesOf(runs) {
  const moments = runs.map(({ d }) => momentsOf(d));
  const lanes = LANES.map(([kind, label]) => ({
    kind,
    label,
    steps: moments.map((all) => all.flatMap((one) => (one.kind === kind ? [one.step] : []))),
  }));
  return lanes.filter(({ steps }) => steps.some((some) => some.length > 0));
}

/**
 * Lanes below the chart.
 * @param {Frame} frame
 * @param {readonly Lane[]} lanes
 * @param {readonly DrawnRun[]} runs
 */
export function drawLanes(frame, lanes, runs) {
  return lanes.flatMap((lane, index) => {
    const middle = SIZES.top + SIZES.plot + (index + 0.5) * SIZES.lane + 3;
    const line = middle + SIZES.lane / 2;
    const drawn = lane.kind === 'cold' ? [] : dots(frame, { lane, middle }, runs);
    return [
      svg(
        'text',
        { x: SIZES.left - 6, y: middle + 4, 'text-anchor': 'end', style: SMALL },
        lane.label,
      ),
      svg('line', {
        class: 'axis',
        x1: SIZES.left,
        x2: frame.width - SIZES.right,
        y1: line,
        y2: line,
      }),
      ...drawn,
      ...(lane.kind === 'cold' ? gaps(frame, { lane, middle }, runs) : []),
    ];
  });
}

/** @typedef {{ readonly lane: Lane, readonly middle: number }} PlacedLane */

/**
 * @param {Frame} frame
 * @param {PlacedLane} placed
 * @param {readonly DrawnRun[]} runs
 */
function dots({ zoom, x }, { lane, middle }, runs) {
  return runs.flatMap((run, order) => {
    const cy = middle + (order - (runs.length - 1) / 2) * DOT_SHIFT;
    const look = {
      r: DOT_RADIUS,
      class: `mark mark-${lane.kind}`,
      style: `fill:${colorOf(run.g)}`,
    };
    const seen = (lane.steps[order] ?? []).filter((step) => isSeen(step, zoom));
    return seen.map((step) => svg('circle', { cx: x(step + 0.5), cy, ...look }));
  });
}

/**
 * @param {number} step
 * @param {Zoom} zoom
 */
function isSeen(step, { from, to }) {
  return step >= from && step < to;
}

/**
 * Gaps of the session, which are the same in every run: a dot each, and how long it was where no other is in the way.
 * @param {Frame} frame
 * @param {PlacedLane} placed
 * @param {readonly DrawnRun[]} runs
 */
function gaps({ zoom, width, x }, { lane, middle }, [first]) {
  const steps = [...new Set(lane.steps.flat())].toSorted((a, b) => a - b);
  return steps.flatMap((step, index) => {
    if (!isSeen(step, zoom)) return [];
    const look = { r: DOT_RADIUS, class: 'mark mark-cold', style: 'fill:var(--soft)' };
    const dot = svg('circle', { cx: x(step + 0.5), cy: middle, ...look });
    const pause = first === undefined ? undefined : pauseAt(first.d, step);
    if (pause === undefined) return [dot];
    const [at, words] = [x(step + 0.5) + LABEL_GAP, duration(pause)];
    const nextStep = steps[index + 1];
    const next = nextStep === undefined ? Infinity : x(nextStep + 0.5) - LABEL_GAP;
    const hasRoom = at + words.length * LETTER_WIDTH <= Math.min(next, width - SIZES.right);
    return [dot, ...(hasRoom ? [svg('text', { x: at, y: middle + 4, style: SMALL }, words)] : [])];
  });
}
