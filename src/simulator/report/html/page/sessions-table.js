import { keep, policyHref, sessionHref } from './address.js';
import { choice, el, filterField } from './elements.js';
import { columnsOfMetrics, valueCell } from './metric-table.js';
import { groupName, groupTitle, metricsNamed } from './names.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';
import { countRows, hasText } from './row-filter.js';

/** @import { PageData, PageRun } from '../page-data.ts' */
/** @import { Option } from './elements.js' */
/** @import { PlacedMetric } from './names.js' */
/** @import { Cell } from './table.js' */

const METRICS = [
  'steps',
  'peakContextTokens',
  'compactions',
  'prunes',
  'tokensSaved',
  'costSavedUsd',
  'misses',
];

/** Session, policy and state: what a row is found by. */
const NAMES = 3;
/** Ends that are no fault of a run; one that cannot exist is no result either. */
const PLAIN_STATES = ['completed', 'impossible'];
const POLICY_COLUMN = 1;

/**
 * Every run, or those of one policy.
 * @param {PageData} report
 * @param {URLSearchParams} params
 * @param {number} [group]
 */
export function sessionsTable(report, params, group) {
  const runs = report.runs.filter((run) => group === undefined || run.g === group);
  if (report.runs.length === 0) return [];
  const metrics = metricsNamed(report, METRICS);
  const rows = runs.map((run) => rowOf(report, run, metrics));
  const status = el('span', { role: 'status', class: 'soft' });
  function filter() {
    const some = rows.filter((row) => isWanted(row, wanted));
    table.show(some);
    status.textContent = countRows(some, rows, 'run');
  }
  const { wanted, search, policies } = createFilters(report, params, filter);
  const table = tableBlock(
    {
      caption: 'Every run; a session leads to its steps',
      columns: [
        { title: 'Session', className: 'name' },
        { title: groupTitle(report), className: 'brief' },
        { title: 'State' },
        { title: 'Cost, re-reads included', isNumber: true },
        ...columnsOfMetrics(metrics),
      ],
      rows,
      file: 'runs',
      isTall: true,
      order: params.get('sort') ?? '',
      onSort: (order) => keep('sort', order),
    },
    search,
    group === undefined ? policies : undefined,
    status,
  );
  filter();
  return [el('h2', {}, 'Sessions'), table.block];
}

/**
 * The search, and its fields.
 * @param {PageData} report
 * @param {URLSearchParams} params
 * @param {() => void} filter
 */
function createFilters(report, params, filter) {
  const wanted = { filter: params.get('filter') ?? '', policy: params.get('policy') ?? '' };
  const changer = (/** @type {keyof typeof wanted} */ name) => (/** @type {string} */ value) => {
    wanted[name] = value;
    keep(name, value);
    filter();
  };
  const field = { id: 'filter', value: wanted.filter, placeholder: 'name, policy or state' };
  const search = filterField(field, changer('filter'));
  const policies = policyChoice(report, wanted.policy, changer('policy'));
  return { wanted, search, policies };
}

/**
 * @param {PageData} report
 * @param {PageRun} run
 * @param {readonly PlacedMetric[]} metrics
 * @returns {readonly Cell[]}
 */
function rowOf(report, { s, g, state, reason, v, net }, metrics) {
  const className = PLAIN_STATES.includes(state) ? '' : 'bad';
  return [
    { text: report.sessions[s] ?? '', href: sessionHref(report, { session: s }) },
    { text: groupName(report, g), href: policyHref(report, g) },
    { text: state, title: reason && shown(reason), className },
    valueCell(net, 'usd'),
    ...metrics.map(([metric, index]) => valueCell(v[index], metric.unit)),
  ];
}

/**
 * @param {readonly Cell[]} row
 * @param {{ readonly filter: string, readonly policy: string }} wanted
 */
function isWanted(row, { filter, policy }) {
  const isOfPolicy = policy === '' || row[POLICY_COLUMN]?.text === policy;
  return isOfPolicy && hasText(row.slice(0, NAMES), filter);
}

/**
 * @param {PageData} report
 * @param {string} value
 * @param {(policy: string) => void} change
 */
function policyChoice(report, value, change) {
  const names = report.groups.map((_, index) => groupName(report, index));
  /** @type {readonly Option[]} */
  const options = [['', 'all'], ...names.map((name) => /** @type {const} */ ([name, name]))];
  return choice(groupTitle(report), { options, value }, change);
}
