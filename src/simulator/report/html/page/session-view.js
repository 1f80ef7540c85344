import { el } from './elements.js';
import { metricColumns, metricRows } from './metric-table.js';
import { groupName, mainMetrics, runTitle, sessionName } from './names.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';
import { timeline } from './timeline.js';
import { brokenAtSlashes } from './path-name.js';
import { runsOf } from './unpack.js';

/** @import { PageData, PageRun } from '../page-data.ts' */

/**
 * One session under its policies.
 * @param {PageData} report
 * @param {number} session
 * @param {URLSearchParams} params
 */
export function sessionView(report, session, params) {
  const runs = runsOf(report, session);
  return [
    el('h1', {}, ...brokenAtSlashes(sessionName(report, session))),
    ...fileLine(report, session),
    ...runs.flatMap((run) => reasonNote(report, run)),
    ...timeline(report, { session, runs }, params),
    ...metricsOfSession(report, runs),
  ];
}

/**
 * @param {PageData} report
 * @param {number} session
 */
function fileLine(report, session) {
  const file = report.sessions[session] ?? '';
  if (sessionName(report, session) === file) return [];
  return [el('p', { class: 'soft' }, ...brokenAtSlashes(file))];
}

/**
 * @param {PageData} report
 * @param {PageRun} run
 */
function reasonNote(report, { g, state, reason }) {
  if (!reason) return [];
  return [el('p', { class: 'note' }, `${shown(groupName(report, g))}: ${state}, ${shown(reason)}`)];
}

/**
 * @param {PageData} report
 * @param {readonly PageRun[]} runs
 */
function metricsOfSession(report, runs) {
  const names = runs.map((run) => runTitle(report, run, runs));
  const peers = runs.map(({ state }) => state === 'completed');
  const note = peers.every(Boolean) ? '' : '; what did not complete cannot be compared';
  const lists = runs.map(({ v }) => v);
  const table = tableBlock({
    caption: `The same numbers as in the overview, for this session alone${note}`,
    columns: metricColumns(names),
    rows: metricRows(mainMetrics(report), lists, peers),
    file: 'session',
  });
  return [el('h2', {}, 'Metrics of this session'), table.block];
}
