import { el } from './elements.js';

/** @typedef {ReturnType<typeof createPlot>} Plot */

const TIP_GAP = 12;
/** How many steps a page key moves by. */
const PAGE_STEPS = 10;

/**
 * A chart of steps over which pointer and keyboard move, with words on the step.
 * @param {SVGSVGElement} canvas
 * @param {{ readonly label: string, readonly steps: number }} about
 */
export function createPlot(canvas, { label, steps }) {
  const tip = el('div', { class: 'tip', hidden: true });
  const attributes = {
    class: 'plot',
    role: 'slider',
    tabindex: '0',
    'aria-label': label,
    'aria-valuemin': '1',
    'aria-valuemax': String(steps),
  };
  return { plot: el('div', attributes, canvas, tip), tip, canvas, steps };
}

/**
 * Puts the line of the cursor at a place, in pixels.
 * @param {SVGLineElement} line
 * @param {number} at
 */
export function placeLine(line, at) {
  line.setAttribute('x1', String(at));
  line.setAttribute('x2', String(at));
}

/**
 * Says what a step is.
 * @param {Plot} chart
 * @param {number} step
 * @param {string} words
 */
export function tellStep({ plot, tip }, step, words) {
  plot.setAttribute('aria-valuenow', String(step + 1));
  plot.setAttribute('aria-valuetext', words);
  tip.textContent = words;
}

/**
 * Puts the words beside a place on the chart, in pixels, on the side with more room.
 * @param {Plot} chart
 * @param {number} left
 * @param {number} top
 */
export function placeTip({ plot, tip }, left, top) {
  if (tip.hidden) return;
  const room = plot.clientWidth;
  const wanted = left > room / 2 ? left - tip.offsetWidth - TIP_GAP : left + TIP_GAP;
  tip.style.left = `${Math.max(0, Math.min(wanted, room - tip.offsetWidth))}px`;
  tip.style.top = `${top}px`;
}

/** @typedef {Readonly<Record<string, () => void>>} Keys What is done by the name of a key. */

/**
 * The keys that move over steps.
 * @param {{ readonly steps: number, readonly cursor: () => number }} place
 * @param {(step: number) => void} go
 * @returns {Keys}
 */
export function stepKeys({ steps, cursor }, go) {
  return {
    ArrowLeft: () => go(cursor() - 1),
    ArrowRight: () => go(cursor() + 1),
    PageUp: () => go(cursor() - PAGE_STEPS),
    PageDown: () => go(cursor() + PAGE_STEPS),
    Home: () => go(0),
    End: () => go(steps - 1),
  };
}

/**
 * Listens to keys; those with a modifier are the browser's.
 * @param {Plot} chart
 * @param {Keys} keys
 */
export function onKeys({ plot }, keys) {
  plot.addEventListener('keydown', (event) => {
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

/**
 * Shows the words while the chart has the focus or the pointer.
 * @param {Plot} chart
 * @param {(isShown: boolean) => void} show
 */
export function onAttention({ plot }, show) {
  plot.addEventListener('focus', () => show(true));
  plot.addEventListener('blur', () => show(false));
  plot.addEventListener('pointerleave', () => show(document.activeElement === plot));
}

/**
 * The nearest step that there is.
 * @param {number} step
 * @param {number} steps
 */
export function withinSteps(step, steps) {
  return Math.max(0, Math.min(steps - 1, step));
}
