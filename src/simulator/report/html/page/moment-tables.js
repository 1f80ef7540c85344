import { sessionHref } from './address.js';
import { choice, el } from './elements.js';
import { KIND_WORDS, momentsOf, momentWords } from './moments.js';
import { groupName, groupTitle } from './names.js';
import { counted } from './numbers.js';
import { tableBlock } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { Option } from './elements.js' */
/** @import { Happening } from './moments.js' */
/** @import { Cell } from './table.js' */
/** @import { DrawnRun } from './unpack.js' */

/** Ids that stand in a row. */
const MOST_IDS = 3;
/** The column by which moments are chosen. */
const KIND_COLUMN = 2;

/** @typedef {{ readonly run: DrawnRun, readonly moment: Happening }} RunMoment */

/**
 * The events of a session, and the losses.
 * @param {PageData} report
 * @param {number} session
 * @param {readonly DrawnRun[]} runs
 */
export function momentTables(report, session, runs) {
  const all = runs
    .flatMap((run) => momentsOf(run.d).map((moment) => ({ run, moment })))
    .filter(isToldOnce())
    .toSorted((a, b) => a.moment.step - b.moment.step);
  const lost = all.filter(({ moment }) => isLoss(moment));
  const rest = all.filter(({ moment }) => !isLoss(moment));
  const rowsOf = (/** @type {readonly RunMoment[]} */ some) =>
    some.map(({ run, moment }) => [
      stepCell(report, session, moment.step),
      { text: moment.kind === 'cold' ? 'all' : groupName(report, run.g) },
      { text: KIND_WORDS[moment.kind] },
      { text: `${momentWords(report, run, moment)}${idWords(moment)}` },
    ]);
  return [
    el('h2', {}, 'What happened'),
    momentTable(report, rowsOf(rest), {
      caption: `${counted(rest.length, 'moment')}, in the order of steps`,
      file: 'moments',
    }),
    ...lossBlock(report, rowsOf(lost)),
  ];
}

/** A gap is one of the session, whatever the policy. */
function isToldOnce() {
  const gaps = new Set();
  return (/** @type {RunMoment} */ { moment: { kind, step } }) => {
    if (kind !== 'cold') return true;
    const isNew = !gaps.has(step);
    gaps.add(step);
    return isNew;
  };
}

/** @param {Happening} moment */
function isLoss({ kind }) {
  return kind === 'miss' || kind === 'lost';
}

/** @param {Happening} moment */
function idWords({ ids }) {
  if (ids.length === 0) return '';
  const more = ids.length > MOST_IDS ? `, … ${ids.length - MOST_IDS} more` : '';
  return ` [${ids.slice(0, MOST_IDS).join(', ')}${more}]`;
}

/**
 * @param {PageData} report
 * @param {readonly (readonly Cell[])[]} rows
 */
function lossBlock(report, rows) {
  if (rows.length === 0) {
    return [el('h2', {}, 'What was lost'), el('p', {}, 'Nothing left the view.')];
  }
  const caption = 'A loss is what a later step needed and no longer saw';
  return [
    el('h2', {}, 'What was lost, and when it was needed'),
    momentTable(report, rows, { caption, file: 'lost' }),
  ];
}

/**
 * @param {PageData} report
 * @param {readonly (readonly Cell[])[]} rows
 * @param {{ readonly caption: string, readonly file: string }} about
 */
function momentTable(report, rows, about) {
  const columns = [
    { title: 'Step', isNumber: true },
    { title: groupTitle(report), className: 'brief' },
    { title: 'What' },
    { title: 'In words', className: 'words' },
  ];
  const kinds = [...new Set(rows.map(kindOf))];
  /** @type {readonly Option[]} */
  const options = [['', 'all'], ...kinds.map((kind) => /** @type {const} */ ([kind, kind]))];
  const filter = choice('What', { options, value: '' }, (kind) =>
    table.show(rows.filter((row) => kind === '' || kindOf(row) === kind)),
  );
  const table = tableBlock({ ...about, columns, rows, isTall: true, onSort: () => {} }, filter);
  return table.block;
}

/** @param {readonly Cell[]} row */
function kindOf(row) {
  return row[KIND_COLUMN]?.text ?? '';
}

/**
 * A step as a cell, which leads to it.
 * @param {PageData} report
 * @param {number} session
 * @param {number} step
 */
export function stepCell(report, session, step) {
  return { text: String(step + 1), value: step + 1, href: sessionHref(report, { session, step }) };
}
