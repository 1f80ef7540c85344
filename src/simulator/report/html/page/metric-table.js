import { count, inUnit } from './numbers.js';

/** @import { PageMetric } from '../page-data.ts' */
/** @import { MaybeNumber } from './numbers.js' */
/** @import { PlacedMetric } from './names.js' */
/** @import { Cell, Column } from './table.js' */

/** @typedef {readonly (number | null)[]} MetricValues In the order of the metrics of the page. */

/**
 * A number as a cell.
 * @param {MaybeNumber} value
 * @param {string} unit
 * @returns {Cell}
 */
export function valueCell(value, unit) {
  return { text: inUnit(value, unit), value: value ?? null };
}

/**
 * A count as a cell.
 * @param {MaybeNumber} value
 * @returns {Cell}
 */
export function countCell(value) {
  return { text: count(value), value: value ?? null };
}

/**
 * Metrics as rows, groups as columns; the best of each row stands out, of those that can be compared.
 * @param {readonly PlacedMetric[]} metrics
 * @param {readonly MetricValues[]} lists
 * @param {readonly boolean[]} peers
 */
export function metricRows(metrics, lists, peers) {
  return metrics.map(([metric, index]) => {
    const values = lists.map((list) => list[index] ?? null);
    const comparable = values.filter((_, at) => peers[at]);
    const best = bestOf(metric, comparable);
    const cells = values.map((value, at) => ({
      ...valueCell(value, metric.unit),
      ...(peers[at] && value !== null && value === best && BEST),
    }));
    return [{ text: metric.label, title: metric.describes }, ...cells];
  });
}

const BEST = { className: 'best', title: 'best of the row' };

/**
 * Nothing where all are the same.
 * @param {PageMetric} metric
 * @param {readonly (number | null)[]} values
 */
function bestOf({ better }, values) {
  const known = values.filter((value) => value !== null);
  if (better === undefined || new Set(known).size < 2) return undefined;
  return better === 'lower' ? Math.min(...known) : Math.max(...known);
}

/**
 * The columns of metrics as rows.
 * @param {readonly string[]} names
 * @returns {readonly Column[]}
 */
export function metricColumns(names) {
  return [
    { title: 'Metric', className: 'name' },
    ...names.map((title) => ({ title, isNumber: true })),
  ];
}

/**
 * The columns of metrics, each with what it describes.
 * @param {readonly PlacedMetric[]} metrics
 * @returns {readonly Column[]}
 */
export function columnsOfMetrics(metrics) {
  return metrics.map(([{ label, describes }]) => ({ title: label, isNumber: true, describes }));
}
