import { firstAtLeast } from '../../../lib/collections.ts';
import type { Unit } from './units.ts';

/** The cells of a row in order, in characters. */
export interface Cells {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A row of a table, and the one that names its columns. */
export interface Row {
  readonly cells: Cells;
  readonly header: Cells;
}

const BAR = /(?<!\\)\|/g;
/** Nothing but these, and a hyphen, stands below the names of columns. */
const RULE = /^[\s|:-]+$/;

/** The rows of the tables of a text by their units, without those that name columns: the first, or one above a rule. */
export function findRows(text: string, units: readonly Unit[]): ReadonlyMap<number, Row> {
  const rows = new Map<number, Row>();
  let header: Cells | undefined;
  let last: Cells | undefined;
  for (const [number, unit] of units.entries()) {
    const line = text.slice(unit.start, unit.end);
    const isRow = line.trimStart().startsWith('|');
    const isNext = units[number - 1]?.end === unit.start - 1;
    if (!isRow || !isNext) {
      header = undefined;
      last = undefined;
    }
    if (!isRow) continue;
    if (RULE.test(line) && line.includes('-')) {
      header = last;
      continue;
    }
    last = cellsOf(line, unit.start);
    if (header === undefined) header = last;
    else rows.set(number, { cells: last, header });
  }
  return rows;
}

/** The number of the cell that holds a character. */
export function cellAt({ ends }: Cells, at: number): number {
  return firstAtLeast(ends, at);
}

function cellsOf(line: string, from: number): Cells {
  const bars = [...line.matchAll(BAR)].map(({ index }) => from + index);
  return {
    starts: bars.map((bar) => bar + 1),
    ends: [...bars.slice(1), from + line.length],
  };
}
