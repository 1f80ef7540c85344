import { svg } from './elements.js';

/** @import { Plot } from './plot.js' */

/** Whoever moves less than this has clicked, in pixels. */
const LEAST_DRAG = 5;

/** @typedef {{ readonly from: number, readonly to: number }} Drag In pixels across; a click goes nowhere. */

/**
 * Listens to a mouse that draws a brush over a part of the chart, which is as tall as is said.
 * @param {Plot} chart
 * @param {{ readonly top: number, readonly height: number }} brushed
 * @param {(drag: Drag) => void} end
 */
export function onDrag({ plot, canvas }, { top, height }, end) {
  const brush = svg('rect', { class: 'brush', y: top, height });
  /** @type {number | undefined} */
  let from;
  plot.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' && event.button === 0) from = pixelOf(canvas, event);
  });
  plot.addEventListener('pointermove', (event) => {
    if (from === undefined) return;
    if (!brush.isConnected) canvas.append(brush);
    placeBrush(brush, from, pixelOf(canvas, event));
  });
  plot.addEventListener('pointerup', (event) => {
    const drag = from === undefined ? undefined : { from, to: pixelOf(canvas, event) };
    from = undefined;
    brush.remove();
    if (drag !== undefined && event.button === 0) end(drag);
  });
}

/**
 * True if a mouse has hardly moved.
 * @param {Drag} drag
 */
export function isClick({ from, to }) {
  return Math.abs(to - from) < LEAST_DRAG;
}

/**
 * How far across a drawing a pointer is, in pixels.
 * @param {Element} canvas
 * @param {MouseEvent} event
 */
export function pixelOf(canvas, event) {
  return event.clientX - canvas.getBoundingClientRect().left;
}

/**
 * @param {Element} brush
 * @param {number} from
 * @param {number} to
 */
function placeBrush(brush, from, to) {
  brush.setAttribute('x', String(Math.min(from, to)));
  brush.setAttribute('width', String(Math.abs(to - from)));
}
