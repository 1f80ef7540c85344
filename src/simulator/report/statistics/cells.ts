import { shownText } from '../shown-text.ts';
import { formatCount, UNKNOWN } from '../numbers.ts';

/** Sizes below this are shown with their tenths. */
const SMALL = 10;
const TENTHS = 1;

/** Most characters of a name in a table of statistics. */
export const LONGEST_NAME = 44;

/** A size or a time: whole, or with its tenths where it is small. */
export function sizeCell(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const isWhole = Number.isInteger(value) || Math.abs(value) >= SMALL;
  return isWhole ? signed(Math.round(value)) : value.toFixed(TENTHS);
}

/** A share in percent with its tenths. */
export function shareCell(share: number | null | undefined): string {
  return share === null || share === undefined ? UNKNOWN : `${(100 * share).toFixed(TENTHS)} %`;
}

/** A name from outside, not longer than a table can bear. */
export function nameCell(name: string): string {
  const characters = Array.from(shownText(name));
  if (characters.length <= LONGEST_NAME) return characters.join('');
  return `${characters.slice(0, LONGEST_NAME - 1).join('')}…`;
}

/** Rows of cells as lines; the first column is of names, the rest are of numbers. */
export function alignRows(rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows.map((row) => toLine(row, widths)).join('\n');
}

function toLine(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
  );
  return cells.join('  ').trimEnd();
}

function signed(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : formatCount(value);
}
