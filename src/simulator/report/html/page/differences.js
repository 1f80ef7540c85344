import { policyHref } from './address.js';
import { el } from './elements.js';
import { familyNote, interval, sessionsCell } from './means.js';
import { groupName, groupTitle } from './names.js';
import { chance, signed, UNKNOWN } from './numbers.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';

/** @import { PageData, PageDifference } from '../page-data.ts' */
/** @import { Cell } from './table.js' */

/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 20;

const HOW =
  "per session, paired by session; intervals by bootstrap, of fewer than ten sessions by Student's t; cost is judged by its ratio, the geometric mean over sessions; p-values are Holm-adjusted, what has none is descriptive";

const COLUMNS = [
  { title: 'Metric' },
  { title: 'Difference', isNumber: true },
  { title: '95 % interval', isNumber: true },
  { title: 'Ratio (95 %)', isNumber: true },
  { title: 'Sessions', isNumber: true },
  { title: 'p', isNumber: true },
  { title: 'Verdict' },
];

/**
 * How every policy differs from the first, or one of them does.
 * @param {PageData} report
 * @param {number} [group]
 */
export function differences(report, group) {
  const all = report.differences.filter((one) => group === undefined || one.group === group);
  if (all.length === 0) return [];
  const first = shown(groupName(report, 0));
  const table = tableBlock({
    caption: `Mean difference against ${first} ${HOW}${familyNote(all)}`,
    columns: [{ title: groupTitle(report), className: 'name' }, ...COLUMNS],
    rows: all.map((one) => rowOf(report, one)),
    file: 'differences',
    isTall: all.length > MOST_ROWS,
    onSort: () => {},
  });
  return [el('h2', {}, `Against ${first}`), table.block];
}

/**
 * @param {PageData} report
 * @param {PageDifference} difference
 * @returns {readonly Cell[]}
 */
function rowOf(report, difference) {
  const { group, value, pValue, verdict } = difference;
  const metric = report.metrics[difference.metric];
  const inSigned = (/** @type {number} */ one) => signed(one, metric?.unit);
  return [
    { text: groupName(report, group), href: policyHref(report, group) },
    { text: metric?.label ?? UNKNOWN },
    { text: inSigned(value), value },
    { text: interval(difference, inSigned) ?? UNKNOWN },
    ratioCell(difference),
    sessionsCell(difference),
    { text: chance(pValue), value: pValue ?? null },
    { text: verdict },
  ];
}

/**
 * The threshold by which cost is judged; nothing else has one.
 * @param {PageDifference} difference
 */
function ratioCell({ ratio }) {
  if (ratio === undefined) return { text: UNKNOWN };
  const around = interval(ratio, ratioWords);
  return { text: `${ratioWords(ratio.value)}${around === undefined ? '' : ` (${around})`}` };
}

/** @param {number} value */
function ratioWords(value) {
  return value.toFixed(3);
}
