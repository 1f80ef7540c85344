import { sum } from '../lib/collections.ts';
import { alignRows, GAP, rowWidthOf, widthOf, widthsOf, wrapAfter, wrapProse } from './prose.ts';
import type { Room, Terminal } from './report.ts';

export interface TextTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export interface Column {
  readonly title: string;
  /** Its name away from its neighbours, where its title alone says too little. */
  readonly name?: string;
  /** Lower ranks are shown first, one without always; for it and rank 0, names go on below their first lines. */
  readonly rank?: number;
  /** Numbers, where it is absent, end alike; names and words begin alike. */
  readonly holds?: 'names' | 'words';
}

const TABLE_WIDTH = 100;
const INDENT = '  ';
/** Ranks for which names are made narrower. */
const TELLS_MOST = 0;
const MUST_STAND = -1;
/** Columns with which a drawing still shows something, whatever has no room beside it. */
const LEAST_WIDTH = 10;

export function areOfNumbers(columns: readonly Pick<Column, 'holds'>[]): readonly boolean[] {
  return columns.map(({ holds }, place) => place > 0 && holds === undefined);
}

/** Rows as lines with room: what is too wide goes on in further blocks, with the names again. */
export function alignBlocks(rows: TextTable['rows'], { terminalColumns = TABLE_WIDTH }: Terminal) {
  const [nameWidth = 0, ...widths] = widthsOf(rows);
  const starts = [0];
  widths.forEach((_, column) => {
    const start = starts.at(-1) ?? 0;
    const width = rowWidthOf([nameWidth, ...widths.slice(start, column + 1)]);
    if (column > start && width > terminalColumns) starts.push(column);
  });
  const blocks = starts.map((start, nth) =>
    alignRows(rows.map(([name = '', ...cells]) => [name, ...cells.slice(start, starts[nth + 1])])),
  );
  return blocks.join('\n\n');
}

/** A table as far as there is room for it, and what is left out of it. */
export function tableSections(
  table: TextTable,
  terminal: Terminal,
  otherFormat: string,
): readonly [text: string, note: string] {
  const fitted = fitColumns(table, terminal, leastNameWidth(table));
  const { columns, rows } = wrapNames(fitted.table, terminal);
  const areNumbers = areOfNumbers(columns);
  const text = alignRows([titlesOf(columns), ...rows], (place) => areNumbers[place] !== true);
  return [text, describeLeftOut(fitted.leftOut, terminal, otherFormat)];
}

/** Takes of a table what must stand, and of the rest what there is room for, with names as narrow as they must be. */
export function fitColumns(
  table: TextTable,
  { terminalColumns = TABLE_WIDTH }: Terminal,
  leastName = Infinity,
): { readonly table: TextTable; readonly leftOut: readonly Column[] } {
  const { columns, rows } = table;
  const widths = planWidths(table, terminalColumns, leastName);
  const dispensable = columns
    .flatMap(({ rank }, place) => (rank === undefined ? [] : [{ rank, place }]))
    .toSorted((one, other) => one.rank - other.rank);
  const left = new Set(dispensable.map(({ place }) => place));
  let room = terminalColumns + GAP.length - sum(widths.filter((_, place) => !left.has(place)));
  for (const { place } of dispensable) {
    const width = widths[place] ?? 0;
    if (width > room) continue;
    left.delete(place);
    room -= width;
  }
  const isKept = (_: unknown, place: number) => !left.has(place);
  return {
    table: { columns: columns.filter(isKept), rows: rows.map((row) => row.filter(isKept)) },
    leftOut: columns.filter((_, place) => left.has(place)),
  };
}

export function describeLeftOut(
  columns: readonly Column[],
  { terminalColumns }: Terminal,
  otherFormat: string,
) {
  if (columns.length === 0) return '';
  const all = columns.map(({ title, name = title }) => name).join('; ');
  const text = `No room for ${all}: a wider terminal or --format ${otherFormat} shows them.`;
  return wrapProse(text, terminalColumns);
}

/** Fewer than the most where a terminal would break its lines. */
export function drawingWidth(
  { most, beside }: { readonly most: number; readonly beside: number },
  { terminalColumns = Infinity }: Room,
) {
  return Math.min(most, Math.max(LEAST_WIDTH, terminalColumns - beside));
}

function titlesOf(columns: readonly Column[]) {
  return columns.map(({ title }) => title);
}

function leastNameWidth({ columns, rows }: TextTable) {
  const widths = rows.map(([name = '']) => {
    const words = name.split(' ').map(widthOf);
    return Math.max(...words) + (words.length === 1 ? 0 : INDENT.length);
  });
  return widths.reduce((a, b) => Math.max(a, b), widthOf(columns[0]?.title ?? ''));
}

function wrapNames(table: TextTable, { terminalColumns = TABLE_WIDTH }: Terminal) {
  const { columns, rows } = table;
  const widths = widthsOf([titlesOf(columns), ...rows]);
  const excess = rowWidthOf(widths) - terminalColumns;
  if (excess <= 0) return table;
  const width = Math.max(leastNameWidth(table), (widths[0] ?? 0) - excess);
  const wrapped = rows.flatMap((row) => {
    const [name = '', ...cells] = row;
    if (widthOf(name) <= width) return [row];
    const [first = '', ...more] = wrapAfter('', name, width - INDENT.length).split('\n');
    return [[first, ...cells], ...more.map((line) => [`${INDENT}${line}`, ...cells.map(() => '')])];
  });
  return { columns, rows: wrapped };
}

function planWidths({ columns, rows }: TextTable, terminalColumns: number, leastName: number) {
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
