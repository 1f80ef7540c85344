import { isClick, onDrag, pixelOf } from './drag.js';
import { svg } from './elements.js';
import { pauseLines, stepLines } from './moments.js';
import {
  createPlot,
  onAttention,
  onKeys,
  placeLine,
  placeTip,
  stepKeys,
  tellStep,
  withinSteps,
} from './plot.js';
import { mostSteps } from './requests.js';
import { axes, outline, stack } from './sawtooth-areas.js';
import { usableLines } from './usable-lines.js';
import { frameOf, SIZES, stepAtPixel, xOfStep } from './sawtooth-frame.js';
import { drawLanes, lanesOf } from './sawtooth-lanes.js';
import { shown } from './shown.js';
import { scaledZoom, zoomTo, zoomWithin } from './zoom.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { Plot } from './plot.js' */
/** @import { Lane } from './sawtooth-lanes.js' */
/** @import { Zoom } from './sawtooth-frame.js' */
/** @import { DrawnRun } from './unpack.js' */

const NARROWEST = 280;
const USUAL_WIDTH = 800;
const CLOSER = 0.5;
const WIDER = 2;
const WHEEL_CLOSER = 0.8;
const WHEEL_WIDER = 1.25;

/**
 * @typedef {object} Timeline
 * @property {PageData} report
 * @property {readonly DrawnRun[]} runs
 * @property {readonly Lane[]} lanes
 * @property {number} steps
 * @property {number} height
 * @property {Plot} chart
 * @property {SVGLineElement} line At the cursor.
 * @property {number} cursor
 * @property {number} width
 * @property {Zoom} zoom
 */

/**
 * The contexts of runs step by step, with zoom and a cursor: the first as a stack, the others as lines over it.
 * @param {PageData} report
 * @param {readonly DrawnRun[]} runs
 * @param {(step: number) => void} open
 */
export function sawtooth(report, runs, open) {
  const timeline = createTimeline(report, runs);
  const { plot, canvas } = timeline.chart;
  const whole = () => setZoom(timeline, { from: 0, to: timeline.steps });
  const closer = () => scale(timeline, CLOSER);
  const wider = () => scale(timeline, WIDER);
  const look = { '+': closer, '=': closer, '-': wider, 0: whole };
  listenToKeys(timeline, { ...look, Enter: () => open(timeline.cursor) });
  listenToPointer(timeline, open);
  new ResizeObserver(() => {
    if (plot.clientWidth !== timeline.width) draw(timeline);
  }).observe(plot);
  return { plot, canvas, whole, closer, wider };
}

/**
 * @param {PageData} report
 * @param {readonly DrawnRun[]} runs
 * @returns {Timeline}
 */
function createTimeline(report, runs) {
  const [steps, lanes] = [mostSteps(runs), lanesOf(runs)];
  const height = SIZES.top + SIZES.plot + lanes.length * SIZES.lane + SIZES.bottom;
  const canvas = svg('svg', { 'aria-hidden': 'true', focusable: 'false', height });
  const chart = createPlot(canvas, { label: 'Step of the session', steps });
  const line = svg('line', { class: 'cursor', y1: SIZES.top, y2: height - SIZES.bottom });
  const view = { cursor: 0, width: USUAL_WIDTH, zoom: { from: 0, to: steps } };
  const timeline = { report, runs, lanes, steps, height, chart, line, ...view };
  moveCursor(timeline);
  return timeline;
}

/** @param {Timeline} timeline */
function draw(timeline) {
  const { runs, lanes, height, chart, line } = timeline;
  timeline.width = Math.max(NARROWEST, chart.plot.clientWidth || USUAL_WIDTH);
  const frame = frameOf(runs, timeline.zoom, timeline);
  chart.canvas.setAttribute('viewBox', `0 0 ${timeline.width} ${height}`);
  chart.canvas.replaceChildren(
    ...axes(frame),
    ...runs.slice(0, 1).flatMap(({ d }) => stack(frame, d)),
    ...runs.map((run) => outline(frame, run)),
    ...usableLines(frame, runs),
    ...drawLanes(frame, lanes, runs),
    line,
  );
  moveCursor(timeline);
}

/** @param {Timeline} timeline */
function moveCursor({ report, runs, chart, line, cursor, zoom, width }) {
  const at = xOfStep(cursor + 0.5, zoom, width);
  placeLine(line, at);
  line.style.display = cursor < zoom.from || cursor >= zoom.to ? 'none' : '';
  const some = runs.filter(({ d }) => cursor < d.context.length);
  const lines = [
    `Step ${cursor + 1}`,
    ...pauseLines(some, cursor),
    ...some.flatMap((run) => stepLines(report, run, cursor)),
  ];
  tellStep(chart, cursor, lines.map(shown).join('\n'));
  placeTip(chart, at, SIZES.top + 6);
}

/**
 * @param {Timeline} timeline
 * @param {number} step
 */
function go(timeline, step) {
  timeline.cursor = withinSteps(step, timeline.steps);
  const zoom = zoomTo(timeline.zoom, timeline.cursor);
  if (zoom.from === timeline.zoom.from) moveCursor(timeline);
  else setZoom(timeline, zoom);
}

/**
 * @param {Timeline} timeline
 * @param {Zoom} zoom
 */
function setZoom(timeline, zoom) {
  timeline.zoom = zoomWithin(zoom, timeline.steps);
  draw(timeline);
}

/**
 * @param {Timeline} timeline
 * @param {number} factor
 */
function scale(timeline, factor, around = timeline.cursor) {
  setZoom(timeline, scaledZoom(timeline.zoom, factor, around));
}

/**
 * @param {Timeline} timeline
 * @param {boolean} isShown
 */
function show(timeline, isShown) {
  timeline.chart.tip.hidden = !isShown;
  moveCursor(timeline);
}

/**
 * @param {Timeline} timeline
 * @param {Readonly<Record<string, () => void>>} acts
 */
function listenToKeys(timeline, acts) {
  const { chart, steps } = timeline;
  const moves = stepKeys({ steps, cursor: () => timeline.cursor }, (step) => {
    chart.tip.hidden = false;
    go(timeline, step);
  });
  onKeys(chart, { ...moves, ...acts, Escape: () => show(timeline, false) });
  onAttention(chart, (isShown) => show(timeline, isShown));
}

/**
 * @param {Timeline} timeline
 * @param {(step: number) => void} open
 */
function listenToPointer(timeline, open) {
  const { chart, steps } = timeline;
  const stepAt = (/** @type {number} */ pixels) =>
    withinSteps(stepAtPixel(pixels, timeline.zoom, timeline.width), steps);
  const stepUnder = (/** @type {MouseEvent} */ event) => stepAt(pixelOf(chart.canvas, event));
  chart.plot.addEventListener('pointermove', (event) => {
    timeline.cursor = stepUnder(event);
    show(timeline, true);
  });
  onDrag(chart, { top: SIZES.top, height: SIZES.plot }, (drag) => {
    const [first, last] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)].map(stepAt);
    if (isClick(drag)) open(stepAt(drag.to));
    else setZoom(timeline, { from: first ?? 0, to: (last ?? 0) + 1 });
  });
  onWheel(chart.plot, (event) => {
    const factor = event.deltaY < 0 ? WHEEL_CLOSER : WHEEL_WIDER;
    scale(timeline, factor, stepUnder(event));
  });
}

/**
 * The wheel scrolls the page, but for a chart that has the focus and with a key held.
 * @param {HTMLElement} plot
 * @param {(event: WheelEvent) => void} turn
 */
function onWheel(plot, turn) {
  const listen = (/** @type {WheelEvent} */ event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== plot) return;
    event.preventDefault();
    turn(event);
  };
  plot.addEventListener('wheel', listen, { passive: false });
}
