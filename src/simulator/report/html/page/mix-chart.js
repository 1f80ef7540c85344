import { columnMarks, rowMarks, stepMarks, tokenTicks } from './axis-marks.js';
import { pixelOf } from './drag.js';
import { roomFor, svg } from './elements.js';
import { addUp } from './mix.js';
import { count } from './numbers.js';
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
import { band } from './sawtooth-areas.js';
import { shown } from './shown.js';

/** @import { Share } from './mix.js' */
/** @import { Scale } from './axis-marks.js' */
/** @import { Plot } from './plot.js' */
/** @import { Zoom } from './sawtooth-frame.js' */

const WIDEST = 1_180;
const HEIGHT = 240;
const MARGIN = { left: 62, right: 12, top: 10, bottom: 22 };
const HEADROOM = 1.05;
const ROWS = 4;
const MOST_STEP_MARKS = 8;
const TIP_TOP = 6;

/** @typedef {{ readonly width: number, readonly steps: number, readonly zoom: Zoom, readonly most: number, readonly x: Scale, readonly y: Scale }} MixFrame */

/**
 * @typedef {object} MixChart
 * @property {Plot} chart
 * @property {MixFrame} frame
 * @property {readonly Share[]} mix
 * @property {SVGLineElement} line
 * @property {number} cursor
 */

/**
 * Shares of the context stacked over time, with a cursor.
 * @param {readonly Share[]} mix
 * @param {readonly number[]} context
 * @param {(step: number) => void} open
 */
export function mixChart(mix, context, open) {
  const frame = frameOf(mix);
  const line = svg('line', {
    class: 'cursor',
    y1: MARGIN.top,
    y2: HEIGHT - MARGIN.bottom,
    style: 'display:none',
  });
  const look = {
    viewBox: `0 0 ${frame.width} ${HEIGHT}`,
    'aria-hidden': 'true',
    focusable: 'false',
  };
  const canvas = svg('svg', look, ...bands(frame, mix), ...axes(frame), line);
  const chart = createPlot(canvas, { label: 'Composition by step', steps: frame.steps });
  tellStep(chart, 0, 'Step 1');
  listen({ chart, frame, mix, line, cursor: 0 }, context, open);
  return { plot: chart.plot, canvas };
}

/**
 * @param {readonly Share[]} mix
 * @returns {MixFrame}
 */
function frameOf(mix) {
  const steps = mix[0]?.values.length ?? 0;
  const width = roomFor(WIDEST);
  const most = addUp(mix, steps).reduce((high, sum) => Math.max(high, sum), 1) * HEADROOM;
  return {
    width,
    steps,
    zoom: { from: 0, to: steps },
    most,
    x: (step) => MARGIN.left + (step / steps) * (width - MARGIN.left - MARGIN.right),
    y: (tokens) => HEIGHT - MARGIN.bottom - (tokens / most) * (HEIGHT - MARGIN.top - MARGIN.bottom),
  };
}

/**
 * @param {MixFrame} frame
 * @param {readonly Share[]} mix
 */
function bands(frame, mix) {
  return mix.map((_, index) => {
    const [low, high] = [
      addUp(mix.slice(0, index), frame.steps),
      addUp(mix.slice(0, index + 1), frame.steps),
    ];
    return svg('path', { d: band(frame, low, high), style: `fill:var(--m${index})` });
  });
}

/** @param {MixFrame} frame */
function axes({ width, zoom, most, x, y }) {
  const sides = { left: MARGIN.left, right: width - MARGIN.right };
  const marks = stepMarks(zoom, { width, most: MOST_STEP_MARKS });
  return [
    ...rowMarks({ ...sides, y }, tokenTicks(most, ROWS)),
    ...columnMarks({ x, below: HEIGHT - 6 }, marks),
  ];
}

/**
 * @param {MixChart} view
 * @param {readonly number[]} context
 * @param {(step: number) => void} open
 */
function listen(view, context, open) {
  const { chart, frame } = view;
  const go = (/** @type {number} */ step) => {
    view.cursor = withinSteps(step, frame.steps);
    moveCursor(view, context);
  };
  const show = (/** @type {boolean} */ isShown) => {
    chart.tip.hidden = !isShown;
    view.line.style.display = isShown ? '' : 'none';
    if (isShown) go(view.cursor);
  };
  onKeys(chart, {
    ...stepKeys({ steps: frame.steps, cursor: () => view.cursor }, go),
    Enter: () => open(view.cursor),
    Escape: () => show(false),
  });
  onAttention(chart, show);
  chart.plot.addEventListener('pointermove', (event) => {
    view.cursor = stepUnder(view, event);
    show(true);
  });
  chart.plot.addEventListener('click', (event) => open(stepUnder(view, event)));
}

/**
 * @param {MixChart} view
 * @param {MouseEvent} event
 */
function stepUnder({ chart, frame }, event) {
  const { width, steps } = frame;
  const share = pixelOf(chart.canvas, event) / chart.canvas.getBoundingClientRect().width;
  const across = (share * width - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
  return withinSteps(Math.floor(across * steps), steps);
}

/**
 * @param {MixChart} view
 * @param {readonly number[]} context
 */
function moveCursor({ chart, frame, mix, line, cursor }, context) {
  const at = frame.x(cursor + 0.5);
  placeLine(line, at);
  tellStep(chart, cursor, wordsOf(mix, cursor, context[cursor]));
  placeTip(chart, (chart.plot.clientWidth / frame.width) * at, TIP_TOP);
}

/**
 * @param {readonly Share[]} mix
 * @param {number} step
 * @param {number} [contextTokens]
 */
function wordsOf(mix, step, contextTokens) {
  const shares = mix
    .map(({ name, values }) => ({ name, tokens: values[step] ?? 0 }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens);
  const head = `Step ${step + 1}: ${count(contextTokens)} tokens`;
  return [head, ...shares.map(({ name, tokens }) => `${shown(name)} ${count(tokens)}`)].join('\n');
}
