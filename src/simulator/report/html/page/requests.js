/** @import { PageRun, RunDetail } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

/**
 * Runs whose steps are known.
 * @param {readonly PageRun[]} runs
 */
export function drawnRuns(runs) {
  return runs.filter(isDrawn);
}

/**
 * @param {PageRun} run
 * @returns {run is DrawnRun}
 */
function isDrawn(run) {
  return run.d !== undefined;
}

/**
 * The tokens that a request held; nothing for a step without a request.
 * @param {RunDetail} detail
 * @param {number} step
 */
export function requestAt({ context, cached, written, output, turn }, step) {
  const [whole, read, kept] = [context[step] ?? 0, cached[step] ?? 0, written[step] ?? 0];
  return {
    context: whole,
    cached: read,
    written: kept,
    fresh: whole - read - kept,
    output: output[step] ?? 0,
    turn: turn[step] ?? 0,
  };
}

/**
 * Until a request since the one before it, in ms; absent where that was not saved.
 * @param {RunDetail} detail
 * @param {number} step
 */
export function pauseAt({ view }, step) {
  return view?.pauses[step];
}

/**
 * How many steps the longest of some runs has.
 * @param {readonly DrawnRun[]} runs
 */
export function mostSteps(runs) {
  return Math.max(...runs.map(({ d }) => d.context.length));
}
