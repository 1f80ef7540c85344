import { svg } from './elements.js';
import { groupColor } from './names.js';
import { counted, short } from './numbers.js';
import { mostSteps } from './requests.js';

/** @import { PageData, RunDetail } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

/** In units of the drawing, which is as wide as its cell. */
const WIDTH = 240;
const HEIGHT = 34;
const MARK = 5;

/**
 * The context of a session's runs over its steps as lines, with a tick above each compaction.
 * @param {PageData} report
 * @param {readonly DrawnRun[]} runs
 * @param {number} most Tokens at the top.
 */
export function sparkline(report, runs, most) {
  const steps = mostSteps(runs);
  const x = (/** @type {number} */ step) => (step / Math.max(1, steps - 1)) * WIDTH;
  const y = (/** @type {number} */ tokens) => HEIGHT - (tokens / most) * (HEIGHT - MARK);
  const look = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' };
  const told = `${counted(steps, 'step')}, up to ${short(peakOf(runs))} tokens`;
  // The first lies on top.
  const lines = runs.toReversed().flatMap(({ d, g }) => {
    const style = `stroke:${groupColor(report, g)}`;
    const points = d.context.map((tokens, step) => `${x(step).toFixed(1)} ${y(tokens).toFixed(1)}`);
    const marks = pivotsOf(d).map((step) => `M${x(step).toFixed(1)} 0V${MARK}`);
    return [
      svg('path', { d: `M${points.join('L')}`, style }),
      ...(marks.length === 0 ? [] : [svg('path', { class: 'tick', d: marks.join(''), style })]),
    ];
  });
  return svg('svg', { ...look, class: 'spark', 'aria-label': told }, ...lines);
}

/**
 * The steps after which a run was compacted.
 * @param {RunDetail} detail
 */
function pivotsOf({ moments }) {
  return moments.flatMap(([step, kind]) => (kind === 'pivot' ? [step] : []));
}

/**
 * The most tokens that any request of some runs held.
 * @param {readonly DrawnRun[]} runs
 */
export function peakOf(runs) {
  return runs.reduce(
    (most, { d }) => d.context.reduce((peak, tokens) => Math.max(peak, tokens), most),
    0,
  );
}
