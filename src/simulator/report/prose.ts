import stringWidth from 'string-width';
import { sum } from '../lib/collections.ts';
import type { Room, Terminal } from './report.ts';

type Rows = readonly (readonly string[])[];

export const PROSE_WIDTH = 100;

/** The mark of an item or of a verdict; further lines begin behind it. */
const OPENING = /^ *(?:[-✓✗~?] )?/;
/** A word with the spaces before it; what a CI service would obey belongs to the word before. */
const PIECES = / *[^ ]+(?: ::[^ ]*)*/g;
const LEAST_ROOM = 20;
const INDENT = '  ';

export const GAP = '  ';

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

export function widthsOf(rows: Rows): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return widths;
}

/** Empty columns are left out. */
export function rowWidthOf(widths: readonly number[]) {
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
