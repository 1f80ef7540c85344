import { groupName } from './names.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

/** How many are drawn before anybody chooses. */
const MOST_AT_FIRST = 3;
const MOST_WITHOUT_TEETH = 2;

/**
 * The runs that an address names, in its order; else some that are worth a look.
 * @param {PageData} report
 * @param {readonly DrawnRun[]} runs
 * @param {URLSearchParams} params
 */
export function chosenRuns(report, runs, params) {
  const wanted = (params.get('policy') ?? '').split(',');
  const named = [...new Set(wanted)].flatMap((name) =>
    runs.filter(({ g }) => groupName(report, g) === name),
  );
  return named.length > 0 ? named : runsAtFirst(runs);
}

/**
 * The control has no teeth: it lies behind the others unless it is alone.
 * @param {readonly DrawnRun[]} runs
 */
function runsAtFirst(runs) {
  const busy = runs.find(({ d }) =>
    d.moments.some(([, kind]) => kind === 'pivot' || kind === 'prune'),
  );
  if (busy === undefined) return runs.slice(0, MOST_WITHOUT_TEETH);
  return [busy, ...runs.filter((run) => run !== busy)].slice(0, MOST_AT_FIRST);
}
