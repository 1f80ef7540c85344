import stringWidth from 'string-width';
import { sum } from '../lib/collections.ts';

/** A file has no end of it. */
export interface Room {
  readonly terminalColumns?: number | undefined;
}

export interface Terminal extends Room {
  readonly colors: boolean;
  /** Sessions that a report lists. */
  readonly top?: number | undefined;
  /** Everything is shown, and not only what fits a screen. */
  readonly details?: boolean | undefined;
}

type Rows = readonly (readonly string[])[];

export const PROSE_WIDTH = 100;

/** The mark of an item or of a verdict; further lines begin behind it. */
const OPENING = /^ *(?:[-✓✗~?] )?/;
/** A word with the spaces before it; what a CI service would obey belongs to the word before. */
const PIECES = / *[^ ]+(?: ::[^ ]*)*/g;
const LEAST_ROOM = 20;
const INDENT = '  ';

export const GAP = '  ';

interface TextTable {
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
/** Ranks for which names are made narrower. */
const TELLS_MOST = 0;
const MUST_STAND = -1;
/** Columns with which a drawing still shows something, whatever has no room beside it. */
const LEAST_WIDTH = 10;

/** Broken only where a terminal of known width would break it. */
export function fitProse(text: string, { terminalColumns }: Room) {
  return terminalColumns === undefined ? text : wrapProse(text, terminalColumns);
}

/** Lines that a terminal of that many columns does not break again. */
export function wrapProse(text: string, terminalColumns = PROSE_WIDTH) {
  const width = Math.min(PROSE_WIDTH, terminalColumns);
  const lines = text.split('\n').map((line) => {
    const [opening = ''] = OPENING.exec(line) ?? [];
    return wrapAfter(opening, line.slice(opening.length), width);
  });
  return lines.join('\n');
}

/** Lines of that width, the first behind an opening, the next below its first word. */
export function wrapAfter(opening: string, text: string, width: number) {
  const indent = widthOf(opening);
  const lines = breakLine(text, width - indent);
  return `${opening}${lines.join(`\n${' '.repeat(indent)}`)}`;
}

/** Rows with prose at their ends, which goes on below its start where there is no room. */
export function alignProse(rows: Rows, { terminalColumns }: Terminal) {
  const text = alignRows(rows, () => true);
  if (terminalColumns === undefined || widestOf(text) <= terminalColumns) return text;
  const heads = alignRows(
    rows.map((row) => row.slice(0, -1)),
    () => true,
  );
  if (widestOf(heads) === 0) return text;
  const indent = widestOf(heads) + GAP.length;
  const hasRoom = terminalColumns - indent >= LEAST_ROOM;
  return heads
    .split('\n')
    .map((head, index) => {
      const prose = rows[index]?.at(-1) ?? '';
      if (hasRoom) return wrapAfter(fillEnd(head, indent), prose, terminalColumns);
      return `${head}\n${wrapAfter(INDENT, prose, terminalColumns)}`;
    })
    .join('\n');
}

/** Names to the left, numbers to the right; empty columns are left out. */
export function alignRows(
  rows: Rows,
  isName: (column: number) => boolean = (column) => column === 0,
) {
  const widths = widthsOf(rows);
  const lines = rows.map((row) => {
    const cells = row.flatMap((cell, column) => {
      const width = widths[column] ?? 0;
      if (width === 0) return [];
      const space = fillEnd('', width - widthOf(cell));
      return [isName(column) ? `${cell}${space}` : `${space}${cell}`];
    });
    return cells.join(GAP).trimEnd();
  });
  return lines.join('\n');
}

/** Wide characters take two columns, colours none. */
export function widthOf(text: string) {
  return stringWidth(text);
}

export function fillEnd(text: string, width: number) {
  return `${text}${' '.repeat(Math.max(0, width - widthOf(text)))}`;
}

/** Of a longer text the start. */
export function cutEnd(text: string, columns: number) {
  if (widthOf(text) <= columns) return text;
  let shown = '';
  for (const character of text) {
    if (widthOf(`${shown}${character}…`) > columns) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

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

function widthsOf(rows: Rows): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return widths;
}

/** Empty columns are left out. */
function rowWidthOf(widths: readonly number[]) {
  const shown = widths.filter((width) => width > 0);
  return sum(shown) + GAP.length * Math.max(0, shown.length - 1);
}

function breakLine(text: string, room: number) {
  const lines = [''];
  for (const piece of text.match(PIECES) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && widthOf(line) + widthOf(piece) > room) lines.push(piece.trimStart());
    else lines.splice(-1, 1, `${line}${piece}`);
  }
  return lines;
}

function widestOf(text: string) {
  return Math.max(...text.split('\n').map(widthOf));
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
