import { policyHref } from './address.js';
import { el } from './elements.js';
import { columnsOfMetrics, metricColumns, metricRows, valueCell } from './metric-table.js';
import { allMetrics, groupName, mainMetrics, valuesTitle } from './names.js';
import { UNKNOWN } from './numbers.js';
import { tableBlock } from './table.js';

/** @import { PageData, PageGroup } from '../page-data.ts' */
/** @import { Cell } from './table.js' */

/** More of them are rows, one each. */
const MOST_COLUMNS = 5;

/**
 * The values of every policy or cell.
 * @param {PageData} report
 */
export function totals(report) {
  const { groups, peers } = report;
  if (groups.length === 0) return [];
  const note = peers.every(Boolean) ? '' : '; those that completed other runs cannot be compared';
  const caption = `${valuesTitle(report)}; ${UNKNOWN} is unknown${note}`;
  return groups.length > MOST_COLUMNS
    ? groupsAsRows(report, caption)
    : groupsAsColumns(report, caption);
}

/**
 * @param {PageData} report
 * @param {string} caption
 */
function groupsAsRows(report, caption) {
  const metrics = mainMetrics(report);
  const columns = [
    ...report.groupTitles.map((title) => ({ title, className: 'name' })),
    { title: 'Completed', isNumber: true },
    ...columnsOfMetrics(metrics),
  ];
  const rows = report.groups.map((group, index) => [
    ...nameCells(report, group, index),
    completedCell(group),
    ...metrics.map(([metric, place]) => valueCell(group.values[place], metric.unit)),
  ]);
  const table = tableBlock({
    caption,
    columns,
    rows,
    file: 'cells',
    isTall: true,
    onSort: () => {},
  });
  return [el('h2', {}, 'Cells'), table.block];
}

/**
 * @param {PageData} report
 * @param {PageGroup} group
 * @param {number} index
 * @returns {readonly Cell[]}
 */
function nameCells(report, { names }, index) {
  return names.map((text, nth) => ({
    text,
    ...(nth === 0 && { href: policyHref(report, index) }),
  }));
}

/** @param {PageGroup} group */
function completedCell({ completedRuns, runs }) {
  return { text: `${completedRuns} of ${runs}`, value: completedRuns };
}

/**
 * @param {PageData} report
 * @param {string} caption
 */
function groupsAsColumns(report, caption) {
  const { groups, peers, groupTitles } = report;
  const names = groups.map((_, index) => groupName(report, index));
  const lists = groups.map(({ values }) => values);
  const completed = [{ text: 'Completed runs' }, ...groups.map(completedCell)];
  const table = tableBlock({
    caption,
    columns: metricColumns(names),
    rows: [completed, ...metricRows(allMetrics(report), lists, peers)],
    file: 'metrics',
    isTall: true,
  });
  return [el('h2', {}, `${groupTitles.join(', ')} × metrics`), table.block];
}
