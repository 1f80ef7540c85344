import stringWidth from 'string-width';
import { sum } from '../lib/collections.ts';

/** Which columns are of names, which begin alike; the others are of numbers, which end alike. */
export type IsName = (column: number) => boolean;

/** What stands between two columns. */
export const GAP = '  ';

const isFirst: IsName = (column) => column === 0;

/** Rows of cells as lines with columns as wide as a terminal shows them; those in which nothing stands are left out. */
export function alignRows(rows: readonly (readonly string[])[], isName: IsName = isFirst): string {
  const widths = widthsOf(rows);
  return rows.map((row) => toLine(row, widths, isName)).join('\n');
}

/** Columns of a terminal that a text takes: wide characters take two, colours none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** A text with spaces behind it, until it is that wide. */
export function fillEnd(text: string, width: number): string {
  return `${text}${spaceUntil(text, width)}`;
}

/** How wide each column of some rows is. */
export function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return widths;
}

/** How wide a row is whose columns are that wide; those in which nothing stands are left out. */
export function rowWidthOf(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return sum(shown) + GAP.length * Math.max(0, shown.length - 1);
}

function fillStart(text: string, width: number): string {
  return `${spaceUntil(text, width)}${text}`;
}

function spaceUntil(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text)));
}

function toLine(row: readonly string[], widths: readonly number[], isName: IsName): string {
  const cells = row.flatMap((cell, column) => {
    const width = widths[column] ?? 0;
    if (width === 0) return [];
    return [isName(column) ? fillEnd(cell, width) : fillStart(cell, width)];
  });
  return cells.join(GAP).trimEnd();
}
