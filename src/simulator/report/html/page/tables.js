import { el } from './elements.js';

/** Rows from which a table has a filter. */
const MANY_ROWS = 9;
const NUMBER = /-?[\d,]*\.?\d+/;
const UNITS = { k: 1e3, M: 1e6, h: 3_600, min: 60 };

/**
 * Has a table sort by its columns, and filter its rows where there are many.
 * @param {HTMLTableElement} table
 */
export function enliven(table) {
  const body = table.tBodies[0];
  if (body === undefined || body.rows.length < 2) return;
  for (const [place, head] of [...(table.tHead?.rows[0]?.cells ?? [])].entries()) {
    const words = head.textContent ?? '';
    head.replaceChildren(
      el('button', { type: 'button', click: () => sortBy(table, place) }, words),
    );
  }
  if (body.rows.length < MANY_ROWS) return;
  const label = `Filter rows of: ${table.caption?.textContent ?? table.tHead?.textContent ?? ''}`;
  const input = /** @type {HTMLInputElement} */ (
    el('input', { type: 'search', placeholder: 'Filter', 'aria-label': label })
  );
  input.addEventListener('input', () => filter(body, input));
  table.parentElement?.before(el('p', { class: 'filter' }, input));
}

/**
 * @param {HTMLTableElement} table
 * @param {number} place
 */
function sortBy(table, place) {
  const head = table.tHead?.rows[0]?.cells[place];
  const body = table.tBodies[0];
  if (head === undefined || body === undefined) return;
  const isUp = head.getAttribute('aria-sort') === 'descending';
  for (const other of table.tHead?.rows[0]?.cells ?? []) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[place]) }));
  rows.sort((a, b) => (isUp ? 1 : -1) * compare(a.key, b.key));
  body.append(...rows.map(({ row }) => row));
}

/**
 * The number that a cell begins with, else its words.
 * @param {HTMLTableCellElement | undefined} cell
 */
function keyOf(cell) {
  const words = (cell?.textContent ?? '').trim();
  const [found] = /^[≥$+\-−\d]/.test(words) ? (NUMBER.exec(words.replace('−', '-')) ?? []) : [];
  if (found === undefined) return { words };
  const unit = new RegExp(`${found} ?(k|M|h|min)\\b`).exec(words)?.[1];
  const factor = UNITS[/** @type {keyof typeof UNITS} */ (unit)] ?? 1;
  return { words, number: Number(found.replaceAll(',', '')) * factor };
}

/**
 * @param {ReturnType<typeof keyOf>} a
 * @param {ReturnType<typeof keyOf>} b
 */
function compare(a, b) {
  if (a.number !== undefined && b.number !== undefined) return a.number - b.number;
  if (a.number === undefined && b.number === undefined) return a.words < b.words ? 1 : -1;
  return a.number === undefined ? -1 : 1;
}

/**
 * @param {HTMLTableSectionElement} body
 * @param {HTMLInputElement} input
 */
function filter(body, input) {
  const wanted = input.value.toLowerCase();
  for (const row of body.rows) row.hidden = !row.textContent?.toLowerCase().includes(wanted);
}
