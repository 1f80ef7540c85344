import { distances } from './distances.js';
import { el, factList } from './elements.js';
import { metricColumns, metricRows } from './metric-table.js';
import { KIND_WORDS } from './moments.js';
import { allMetrics, groupLabel, groupName, valuesTitle } from './names.js';
import { count, counted } from './numbers.js';
import { sessionsTable } from './sessions-table.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { Kind } from './moments.js' */

/**
 * One policy or cell by itself.
 * @param {PageData} report
 * @param {number} index
 * @param {URLSearchParams} params
 */
export function policyView(report, index, params) {
  return [
    el('h1', {}, shown(groupLabel(report, index))),
    el('p', {}, el('a', { href: '#/' }, '← To the overview')),
    ...rulesOf(report, index),
    ...distances(report, index),
    ...metricsOf(report, index),
    ...sessionsTable(report, params, index),
  ];
}

/**
 * @param {PageData} report
 * @param {number} index
 */
function rulesOf({ groups }, index) {
  const { runs = 0, completedRuns = 0, rules = {} } = groups[index] ?? {};
  const kinds = /** @type {Kind[]} */ (Object.keys(rules));
  const facts = kinds.map((kind) => {
    const words = kind === 'cold' ? undefined : rules[kind];
    return /** @type {const} */ ([kind === 'lost' ? 'view' : KIND_WORDS[kind], shown(words ?? '')]);
  });
  const done = `${count(completedRuns)} of ${counted(runs, 'run')} completed`;
  return [
    el('p', { class: 'soft' }, done),
    ...(facts.length === 0 ? [] : [el('h2', {}, 'Rules'), factList(facts)]),
  ];
}

/**
 * @param {PageData} report
 * @param {number} index
 */
function metricsOf(report, index) {
  const values = report.groups[index]?.values ?? [];
  const table = tableBlock({
    caption: valuesTitle(report),
    columns: metricColumns([groupName(report, index)]),
    rows: metricRows(allMetrics(report), [values], [true]),
    file: 'policy',
    isTall: true,
  });
  return [el('h2', {}, 'All metrics'), table.block];
}
