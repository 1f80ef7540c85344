import { alignRows, rowWidthOf, widthsOf } from './align-rows.ts';
import type { Terminal } from './report.ts';

type Rows = readonly (readonly string[])[];

/**
 * Rows of a name and numbers as lines that a terminal has room for: what is too wide goes on in further blocks below,
 * with the names again. A column that is too wide by itself stands alone.
 */
export function alignBlocks(rows: Rows, { terminalColumns = Infinity }: Terminal): string {
  const starts = blockStarts(widthsOf(rows), terminalColumns);
  return starts
    .map((start, nth) => alignRows(withColumns(rows, start, starts[nth + 1])))
    .join('\n\n');
}

/** Where blocks of columns begin that have room beside the names. */
function blockStarts(
  [nameWidth = 0, ...widths]: readonly number[],
  terminalColumns: number,
): readonly number[] {
  const starts = [0];
  widths.forEach((_, column) => {
    const start = starts.at(-1) ?? 0;
    const width = rowWidthOf([nameWidth, ...widths.slice(start, column + 1)]);
    if (column > start && width > terminalColumns) starts.push(column);
  });
  return starts;
}

function withColumns(rows: Rows, from: number, to: number | undefined): Rows {
  return rows.map(([name = '', ...cells]) => [name, ...cells.slice(from, to)]);
}
