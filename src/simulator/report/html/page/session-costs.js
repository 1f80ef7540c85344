import { keep, sessionHref } from './address.js';
import { choice, el } from './elements.js';
import { valueCell } from './metric-table.js';
import { groupName, groupTitle, metricsNamed, sessionName } from './names.js';
import { count, counted } from './numbers.js';
import { drawnRuns } from './requests.js';
import { shown } from './shown.js';
import { peakOf, sparkline } from './sparkline.js';
import { tableBlock } from './table.js';
import { unpackRun } from './unpack.js';

/** @import { PageData, PageRun } from '../page-data.ts' */
/** @import { Cell, Column } from './table.js' */

/** Above the largest context; what is impossible goes beyond. */
const ROOM = 1.1;
/** More of them are chosen from, one at a time. */
const MOST_GROUPS = 4;
/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 20;

/** @typedef {{ readonly session: number, readonly runs: readonly PageRun[] }} SessionRuns */

/**
 * The sessions by what they cost, the dearest first, each with its context over the steps.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function sessionCosts(report, params) {
  const { groups, runs } = report;
  if (report.arms === undefined || runs.length === 0) return [];
  if (groups.length <= MOST_GROUPS) return [costTable(report, [...groups.keys()])];
  const names = groups.map((_, index) => groupName(report, index));
  const first = Math.max(0, names.indexOf(params.get('costs') ?? ''));
  const holder = el('div');
  const draw = (/** @type {number} */ group) =>
    holder.replaceChildren(costTable(report, [group], picked));
  const options = names.map((name) => /** @type {const} */ ([name, name]));
  const picked = choice(groupTitle(report), { options, value: names[first] ?? '' }, (name) => {
    keep('costs', name);
    draw(names.indexOf(name));
  });
  draw(first);
  return [holder];
}

/**
 * @param {PageData} report
 * @param {readonly number[]} groups
 * @param {readonly HTMLElement[]} picked
 */
function costTable(report, groups, ...picked) {
  const sessions = report.sessions
    .map((_, session) => ({ session, runs: runsIn(report, session, groups) }))
    .filter(({ runs }) => runs.length > 0)
    .map((one) => ({ ...one, most: Math.max(...one.runs.map(costOf)) }))
    .toSorted((a, b) => b.most - a.most);
  const possible = sessions.flatMap(({ runs }) =>
    runs.filter(({ state }) => state !== 'impossible'),
  );
  const most = ROOM * peakOf(drawnRuns(possible));
  const left = report.sessions.length - sessions.length;
  const copies = left === 0 ? '' : `; ${counted(left, 'session')} not replayed, as copies are not`;
  const picture =
    most === 0 ? '' : '; lines are contexts over the steps, ticks above them compactions';
  const options = {
    caption: `Costs with what is read again, the dearest first${picture}${copies}`,
    columns: columnsOf(report, groups, most > 0),
    rows: sessions.map((one) => rowOf(report, one, { groups, most })),
    file: 'sessions-by-cost',
    isTall: sessions.length > MOST_ROWS,
    onSort: () => {},
  };
  return tableBlock(options, el('h2', {}, 'Sessions by cost'), ...picked).block;
}

/** @param {PageRun} run */
function costOf({ net, state }) {
  return state === 'impossible' ? 0 : (net ?? 0);
}

/**
 * The replayed runs of a session.
 * @param {PageData} report
 * @param {number} session
 * @param {readonly number[]} groups
 */
function runsIn({ runs }, session, groups) {
  const own = runs.filter(
    ({ s, g, state }) => s === session && groups.includes(g) && state !== 'skipped',
  );
  return own.map(unpackRun);
}

/**
 * @param {PageData} report
 * @param {readonly number[]} groups
 * @param {boolean} hasPictures
 * @returns {readonly Column[]}
 */
function columnsOf(report, groups, hasPictures) {
  return [
    { title: 'Session', className: 'name' },
    ...(hasPictures ? [{ title: 'Context over the steps', className: 'spark-cell' }] : []),
    ...groups.map((group) => ({ title: groupName(report, group), isNumber: true })),
  ];
}

/**
 * @param {PageData} report
 * @param {SessionRuns} of
 * @param {{ readonly groups: readonly number[], readonly most: number }} shownAs
 * @returns {readonly Cell[]}
 */
function rowOf(report, { session, runs }, { groups, most }) {
  const drawn = drawnRuns(runs);
  const name = {
    text: sessionName(report, session),
    title: shown(report.sessions[session] ?? ''),
    href: sessionHref(report, { session }),
  };
  const picture = {
    text: '',
    value: drawn.length === 0 ? null : peakOf(drawn),
    ...(drawn.length > 0 && { mark: sparkline(report, drawn, most) }),
  };
  const costs = groups.map((group) =>
    costCell(
      report,
      runs.find(({ g }) => g === group),
    ),
  );
  return [name, ...(most > 0 ? [picture] : []), ...costs];
}

/**
 * The cost of a run, with what it did for that.
 * @param {PageData} report
 * @param {PageRun} [run]
 * @returns {Cell}
 */
function costCell(report, run) {
  if (run === undefined) return { text: '', value: null };
  const valueOf = (/** @type {string} */ name) => run.v[metricsNamed(report, [name])[0]?.[1] ?? -1];
  const [compactions, misses] = [valueOf('compactions'), valueOf('misses')];
  const lost = (misses ?? 0) + (valueOf('unrecoverableMisses') ?? 0);
  const words = [
    ...(run.state === 'completed' ? [] : [run.state]),
    ...(compactions ? [counted(compactions, 'compaction')] : []),
    ...(lost > 0 ? [`${count(lost)} lost`] : []),
  ];
  const isBad = run.state !== 'completed' && run.state !== 'impossible';
  return {
    ...valueCell(run.net, 'usd'),
    below: words.join(', '),
    className: isBad ? 'bad' : run.state === 'impossible' ? 'soft' : '',
  };
}
