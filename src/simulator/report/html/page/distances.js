import { policyHref } from './address.js';
import { el } from './elements.js';
import { familyNote, interval, sessionsCell } from './means.js';
import { countCell, valueCell } from './metric-table.js';
import { allMetrics, groupName, groupTitle } from './names.js';
import { inUnit, UNKNOWN } from './numbers.js';
import { tableBlock } from './table.js';

/** @import { PageData, PageMean, PageMetric } from '../page-data.ts' */
/** @import { Cell } from './table.js' */

/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 20;

const CAPTION =
  "Mean per session of what is above the best in hindsight, over the sessions for which it is known; intervals by bootstrap, of fewer than ten sessions by Student's t";

/**
 * How far policies are from what hindsight would do; what is not known of any is left out.
 * @param {PageData} report
 * @param {number} [group]
 */
export function distances(report, group) {
  const all = (report.bounds ?? []).filter((one) => group === undefined || one.group === group);
  if (all.length === 0) return [];
  const places = [...new Set(all.map((one) => one.metric))];
  const metrics = places.flatMap((place) => allMetrics(report).slice(place, place + 1));
  const groups = [...new Set(all.map((one) => one.group))];
  const rows = groups.map((own) => [
    { text: groupName(report, own), href: policyHref(report, own) },
    ...metrics.flatMap(([metric, index]) =>
      distanceCells(
        metric,
        all.find((one) => one.group === own && one.metric === index),
      ),
    ),
  ]);
  const table = tableBlock({
    caption: `${CAPTION}${familyNote(all)}`,
    columns: [
      { title: groupTitle(report), className: 'name' },
      ...metrics.flatMap(([metric]) => columnsOf(metric)),
    ],
    rows,
    file: 'bounds',
    isTall: rows.length > MOST_ROWS,
    onSort: () => {},
  });
  return [el('h2', {}, 'Distance to the bounds'), table.block];
}

/** @param {PageMetric} metric */
function columnsOf({ label, unit, describes }) {
  const isRatio = unit === 'ratio' || unit === 'factor';
  const known = `Sessions for which ${label} is known.`;
  return [
    { title: isRatio ? `${label} (mean of ratios)` : label, isNumber: true, describes },
    { title: '95 % interval', isNumber: true },
    { title: 'Sessions', isNumber: true, describes: known },
  ];
}

/**
 * @param {PageMetric} metric
 * @param {PageMean} [mean]
 * @returns {readonly Cell[]}
 */
function distanceCells({ unit }, mean) {
  if (mean === undefined) return [valueCell(null, unit), { text: UNKNOWN }, countCell(0)];
  const words = (/** @type {number} */ value) => inUnit(value, unit);
  const around = interval(mean, words) ?? UNKNOWN;
  return [valueCell(mean.value, unit), { text: around }, sessionsCell(mean)];
}
