/** @import { Cell, Column } from './table.js' */

/** What a spreadsheet would take for a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A table as comma-separated values; numbers without their units, and nothing that a spreadsheet would run.
 * @param {readonly Pick<Column, 'title'>[]} columns
 * @param {readonly (readonly Cell[])[]} rows
 */
export function toCsv(columns, rows) {
  const heads = columns.map(({ title }) => title);
  const values = rows.map((row) =>
    row.map(({ text, value }) => (value === undefined ? text : value)),
  );
  return [heads, ...values].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** @param {string | number | null} value */
function csvCell(value) {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const safe = FORMULA_START.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
