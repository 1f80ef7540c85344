import { MS_PER_SECOND } from './numbers.js';

/** @import { PageData, PageRun, RunDetail } from '../page-data.ts' */

/** @typedef {PageRun & { readonly d: RunDetail }} DrawnRun A run whose steps are known. */

/**
 * The runs of a session, with the columns of their steps as they were before they were packed.
 * @param {PageData} report
 * @param {number} session
 */
export function runsOf({ runs }, session) {
  return runs.filter((run) => run.s === session).map(unpackRun);
}

/**
 * A run whose columns were what is not to be expected of them.
 * @param {PageRun} run
 * @returns {PageRun}
 */
export function unpackRun(run) {
  return run.d === undefined ? run : { ...run, d: unpackDetail(run.d) };
}

/**
 * @param {RunDetail} detail
 * @returns {RunDetail}
 */
function unpackDetail(detail) {
  const context = sumsOf(detail.context);
  const cached = detail.cached.map((beyond, step) => beyond + (context[step - 1] ?? 0));
  const written = detail.written.map(
    (fresh, step) => (context[step] ?? 0) - (cached[step] ?? 0) - fresh,
  );
  const { view } = detail;
  return {
    ...detail,
    context,
    cached,
    written,
    turn: sumsOf(detail.turn),
    ...(view && {
      view: { ...view, pauses: view.pauses.map((seconds) => seconds * MS_PER_SECOND) },
    }),
  };
}

/** @param {readonly number[]} values */
function sumsOf(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}
