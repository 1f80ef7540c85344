import { sum } from '../sum.ts';
import { GAP, widthsOf } from './align-rows.ts';
import type { Terminal } from './report.ts';
import { alignTable, type Column, type TextTable, titlesOf } from './text-table.ts';
import { wrapProse } from './wrap-prose.ts';

/** What of a table fits into a terminal. */
export interface Fitted {
  readonly table: TextTable;
  /** The columns that were left out, in their order. */
  readonly leftOut: readonly Column[];
}

/** A table as far as there is room for it, and what is left out of it; another format of its command has all of it. */
export function tableSections(
  table: TextTable,
  terminal: Terminal,
  otherFormat: string,
): readonly [text: string, note: string] {
  const fitted = fitColumns(table, terminal);
  const note = describeLeftOut(fitted.leftOut, terminal, otherFormat);
  return [alignTable(fitted.table, terminal), note];
}

/** Takes of a table what must stand, and of the rest what there is room for; all where nobody knows how much that is. */
export function fitColumns(table: TextTable, { terminalColumns }: Terminal): Fitted {
  if (terminalColumns === undefined) return { table, leftOut: [] };
  const kept = planKept(table, terminalColumns);
  const isKept = (_: unknown, place: number) => kept.has(place);
  const { columns, rows } = table;
  return {
    table: { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) },
    leftOut: columns.filter((_, place) => !kept.has(place)),
  };
}

/** What to say of columns that were left out; nothing where none was. */
export function describeLeftOut(
  columns: readonly Column[],
  { terminalColumns }: Terminal,
  otherFormat: string,
): string {
  if (columns.length === 0) return '';
  const all = columns.map(({ title, name = title }) => name).join('; ');
  const text = `No room for ${all}: a wider terminal or --format ${otherFormat} shows them.`;
  return wrapProse(text, terminalColumns);
}

/** Places of the columns that are shown. */
function planKept({ columns, rows }: TextTable, terminalColumns: number): ReadonlySet<number> {
  const widths = widthsOf([titlesOf(columns), ...rows]).map((width) =>
    width === 0 ? 0 : width + GAP.length,
  );
  const dispensable = byRank(columns);
  const kept = new Set(columns.keys());
  for (const place of dispensable) kept.delete(place);
  let room = terminalColumns + GAP.length - sum(widths.filter((_, place) => kept.has(place)));
  for (const place of dispensable) {
    const width = widths[place] ?? 0;
    if (width > room) continue;
    kept.add(place);
    room -= width;
  }
  return kept;
}

/** Places of the columns that may be left out, the most telling one first. */
function byRank(columns: readonly Column[]): readonly number[] {
  return columns
    .flatMap(({ rank }, place) => (rank === undefined ? [] : [{ rank, place }]))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ place }) => place);
}
