import { sum } from '../lib/collections.ts';
import { GAP, widthsOf } from './align-rows.ts';
import type { Terminal } from './report.ts';
import { alignTable, type Column, type TextTable, titlesOf } from './text-table.ts';
import { leastNameWidth, wrapNames } from './wrap-names.ts';
import { wrapProse } from './wrap-prose.ts';

/** What of a table fits into a terminal. */
export interface Fitted {
  readonly table: TextTable;
  /** The columns that were left out, in their order. */
  readonly leftOut: readonly Column[];
}

/** Ranks for which names are made narrower. */
const TELLS_MOST = 0;
const MUST_STAND = -1;

/**
 * A table as far as there is room for it, its names in several lines where they must, and what is left out of it;
 * another format of its command has all of it.
 */
export function tableSections(
  table: TextTable,
  terminal: Terminal,
  otherFormat: string,
): readonly [text: string, note: string] {
  const fitted = fitColumns(table, terminal, leastNameWidth(table));
  const note = describeLeftOut(fitted.leftOut, terminal, otherFormat);
  return [alignTable(wrapNames(fitted.table, terminal), terminal), note];
}

/**
 * Takes of a table what must stand, and of the rest what there is room for; all where nobody knows how much that is.
 * Names are taken to be as narrow as they can be, as far as what must stand and what tells most have no room otherwise.
 */
export function fitColumns(
  table: TextTable,
  { terminalColumns }: Terminal,
  leastName = Infinity,
): Fitted {
  if (terminalColumns === undefined) return { table, leftOut: [] };
  const kept = planKept(table, terminalColumns, leastName);
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
function planKept(
  table: TextTable,
  terminalColumns: number,
  leastName: number,
): ReadonlySet<number> {
  const { columns } = table;
  const widths = planWidths(table, terminalColumns, leastName);
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

/** How wide each column is with the gap before the next one; that of names, as it will be in several lines. */
function planWidths(
  { columns, rows }: TextTable,
  terminalColumns: number,
  leastName: number,
): readonly number[] {
  const widths = widthsOf([titlesOf(columns), ...rows]).map((width) =>
    width === 0 ? 0 : width + GAP.length,
  );
  const [name = 0, ...others] = widths;
  const mostCut = Math.max(0, name - GAP.length - leastName);
  const lacks = [TELLS_MOST, MUST_STAND].map((last) => {
    const shown = widths.filter((_, place) => (columns[place]?.rank ?? MUST_STAND) <= last);
    return Math.max(0, sum(shown) - GAP.length - terminalColumns);
  });
  return [name - (lacks.find((lack) => lack <= mostCut) ?? 0), ...others];
}

/** Places of the columns that may be left out, the most telling one first. */
function byRank(columns: readonly Column[]): readonly number[] {
  return columns
    .flatMap(({ rank }, place) => (rank === undefined ? [] : [{ rank, place }]))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ place }) => place);
}
