import { el } from './elements.js';
import { count, counted, signed, UNKNOWN } from './numbers.js';
import { partCell, stateCell, textCell } from './part-cells.js';
import { changesAt, isShownState, kindWords, textOf } from './parts.js';
import { tableBlock } from './table.js';

/** @import { RunView } from '../../saved/shapes.ts' */
/** @import { Change } from './parts.js' */
/** @import { Cell, Column } from './table.js' */

/** Larger tables scroll by themselves, in rows. */
const MOST_ROWS = 12;

/** In the order in which they are told. */
const SIGNS = /** @type {const} */ (['+', '~', '−']);

/** @type {Readonly<Record<Change['sign'], string>>} */
const SIGN_WORDS = { '+': 'came', '−': 'went', '~': 'changed' };

/** @type {readonly Column[]} */
const COLUMNS = [
  { title: 'Change' },
  { title: 'Part' },
  { title: 'What' },
  { title: 'Now' },
  { title: 'Before', isNumber: true },
  { title: 'After', isNumber: true },
];

/** @type {readonly Column[]} */
const TEXT_COLUMNS = [
  { title: 'Text before', className: 'words' },
  { title: 'Text after', className: 'words' },
];

/**
 * The changes between the request of a step and the one before.
 * @param {RunView} view
 * @param {number} step
 */
export function diffBlock(view, step) {
  const all = changesAt(view, step);
  if (all.length === 0) {
    return el('p', {}, 'Nothing: this request holds the same as the previous one.');
  }
  const changes = SIGNS.flatMap((sign) => all.filter((change) => change.sign === sign));
  return tableBlock({
    caption: captionOf(all),
    columns: [...COLUMNS, ...(view.texts ? TEXT_COLUMNS : [])],
    rows: changes.map((change) => rowOf(view, change)),
    file: `step-${step + 1}-changes`,
    isTall: changes.length > MOST_ROWS,
    onSort: () => {},
  }).block;
}

/** @param {readonly Change[]} all */
function captionOf(all) {
  const signs = /** @type {const} */ (['+', '−', '~']);
  const groups = signs.map((sign) => all.filter((change) => change.sign === sign));
  return groups
    .flatMap((some) => some.slice(0, 1).map((first) => groupWords(first.sign, some)))
    .join('; ');
}

/**
 * @param {Change['sign']} sign
 * @param {readonly Change[]} changes
 */
function groupWords(sign, changes) {
  const growth = changes.reduce((sum, change) => sum + growthOf(change), 0);
  const tokens = growth === 0 && sign !== '~' ? `${sign === '+' ? '+' : '-'}0` : signed(growth);
  return `${counted(changes.length, 'part')} ${SIGN_WORDS[sign]} (${tokens} tokens)`;
}

/** @param {Change} change */
function growthOf({ part, before }) {
  return (isShownState(part.state) ? part.tokens : 0) - (before?.tokens ?? 0);
}

/**
 * @param {RunView} view
 * @param {Change} change
 * @returns {readonly Cell[]}
 */
function rowOf(view, { sign, part, before }) {
  const now = isShownState(part.state) ? part : undefined;
  const texts = [before, now].map((one) => textCell(one && textOf(view, one)));
  return [
    { text: `${sign} ${SIGN_WORDS[sign]}`, chip: `sign-${SIGN_WORDS[sign]}` },
    partCell(part),
    { text: kindWords(part.kind) },
    stateCell(part),
    tokensCell(before),
    tokensCell(now),
    ...(view.texts ? texts : []),
  ];
}

/** @param {{ readonly tokens: number }} [part] */
function tokensCell(part) {
  if (part === undefined) return { text: UNKNOWN, value: null };
  return { text: count(part.tokens), value: part.tokens };
}
