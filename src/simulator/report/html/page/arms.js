import { policyHref } from './address.js';
import { el } from './elements.js';
import { countCell, valueCell } from './metric-table.js';
import { groupColor } from './names.js';
import { armPlane } from './plane.js';
import { shown } from './shown.js';
import { swatch } from './swatch.js';
import { tableBlock } from './table.js';

/** @import { PageArm, PageData, PageGroup } from '../page-data.ts' */
/** @import { Cell, Column } from './table.js' */

/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 8;

/** With more of them the table is too wide to stand beside the picture. */
const MOST_TITLES_BESIDE = 2;

/** @type {readonly Column[]} */
const COLUMNS = [
  { title: 'Cost', isNumber: true, describes: 'Dollars at list prices, with what is read again.' },
  {
    title: 'Losses',
    isNumber: true,
    describes:
      'Needs of later steps that were no longer visible, those that nothing brings back included.',
  },
  { title: 'Compactions', isNumber: true },
];

/**
 * The choices, with the cost and losses of each: as a picture and as a table with notes.
 * @param {PageData} report
 * @param {readonly HTMLElement[]} notes
 */
export function armsBlock(report, notes) {
  const { arms, groups } = report;
  if (arms === undefined || groups.length === 0) return notes;
  const options = {
    caption: arms.over,
    columns: [...report.groupTitles.map((title) => ({ title, className: 'brief' })), ...COLUMNS],
    rows: groups.flatMap((group, index) => {
      const arm = arms.rows[index];
      return arm === undefined ? [] : [rowOf(report, { group, arm, index })];
    }),
    file: 'side-by-side',
    isTall: groups.length > MOST_ROWS,
    onSort: () => {},
  };
  const { block } = tableBlock(options, el('h2', {}, 'Side by side'));
  const picture = armPlane(report, arms);
  const section = el('section', {}, block, ...notes);
  const isNarrow = report.groupTitles.length <= MOST_TITLES_BESIDE;
  return [el('div', { class: picture && isNarrow ? 'beside' : '' }, picture, section)];
}

/**
 * @param {PageData} report
 * @param {{ readonly group: PageGroup, readonly arm: PageArm, readonly index: number }} row
 * @returns {readonly Cell[]}
 */
function rowOf(report, { group, arm, index }) {
  const { costUsd, losses, compactions, says, isImpossible = false } = arm;
  const className = isImpossible ? 'soft' : '';
  const [first, ...others] = group.names;
  const cost = valueCell(costUsd, 'usd');
  const name = {
    text: first ?? '',
    href: policyHref(report, index),
    mark: swatch(groupColor(report, index), isImpossible),
    below: shown(says),
  };
  return [
    name,
    ...others.map((text) => ({ text })),
    { ...cost, text: arm.isLeast ? `≥ ${cost.text}` : cost.text, className },
    { ...countCell(losses), className },
    { ...countCell(compactions), className },
  ];
}
