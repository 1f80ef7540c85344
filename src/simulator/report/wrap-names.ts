import { rowWidthOf, widthOf, widthsOf } from './align-rows.ts';
import type { Terminal } from './report.ts';
import { type TextTable, titlesOf } from './text-table.ts';
import { wrapAfter } from './wrap-prose.ts';

/** How far in a name goes on below its first line. */
const INDENT = '  ';

/** How wide the names of a table must be at least: words stay whole, and so does the title above them. */
export function leastNameWidth({ columns, rows }: TextTable): number {
  const title = widthOf(columns[0]?.title ?? '');
  return rows.reduce((widest, [name = '']) => Math.max(widest, leastWidthOf(name)), title);
}

/** A table whose names go on below their first lines as far as it is wider than its terminal. */
export function wrapNames(table: TextTable, { terminalColumns = Infinity }: Terminal): TextTable {
  const { columns, rows } = table;
  const widths = widthsOf([titlesOf(columns), ...rows]);
  const excess = rowWidthOf(widths) - terminalColumns;
  if (excess <= 0) return table;
  const width = Math.max(leastNameWidth(table), (widths[0] ?? 0) - excess);
  return { columns, rows: rows.flatMap((row) => wrapName(row, width)) };
}

function leastWidthOf(name: string): number {
  const words = name.split(' ').map(widthOf);
  return Math.max(...words) + (words.length === 1 ? 0 : INDENT.length);
}

/** The row, and below it one for each further line of its name. */
function wrapName(row: readonly string[], width: number): readonly (readonly string[])[] {
  const [name = '', ...cells] = row;
  if (widthOf(name) <= width) return [row];
  const [first = '', ...more] = wrapAfter('', name, width - INDENT.length).split('\n');
  return [[first, ...cells], ...more.map((line) => [`${INDENT}${line}`, ...cells.map(() => '')])];
}
