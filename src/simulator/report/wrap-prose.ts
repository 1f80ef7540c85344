import { widthOf } from './align-rows.ts';
import type { Room } from './report.ts';

/** Longest line of prose, in columns. */
const PROSE_WIDTH = 100;

/** How far in a line begins, with the mark of an item or of a verdict; below its first word the next lines begin. */
const OPENING = /^ *(?:[-✓✗~?] )?/;

/** A word with the spaces before it; what a CI service takes for a command at the start of a line belongs to the word before. */
const PIECES = / *[^ ]+(?: ::[^ ]*)*/g;

/** Lines of prose, which are broken only where a terminal of known width would break them. */
export function fitProse(text: string, { terminalColumns }: Room): string {
  return terminalColumns === undefined ? text : wrapProse(text, terminalColumns);
}

/** Prose in lines that a terminal of that many columns does not break again; words stay whole. */
export function wrapProse(text: string, terminalColumns = PROSE_WIDTH): string {
  const width = Math.min(PROSE_WIDTH, terminalColumns);
  const lines = text.split('\n').map((line) => {
    const [opening = ''] = OPENING.exec(line) ?? [];
    return wrapAfter(opening, line.slice(opening.length), width);
  });
  return lines.join('\n');
}

/** A line of that many columns at most behind an opening, which is not broken, and the next ones below its first word. */
export function wrapAfter(opening: string, text: string, width: number): string {
  const indent = widthOf(opening);
  const lines = breakLine(text, width - indent);
  return `${opening}${lines.join(`\n${' '.repeat(indent)}`)}`;
}

function breakLine(text: string, room: number): readonly string[] {
  const lines = [''];
  for (const piece of text.match(PIECES) ?? []) {
    const line = lines.at(-1) ?? '';
    const hasRoom = line === '' || widthOf(line) + widthOf(piece) <= room;
    if (hasRoom) lines.splice(-1, 1, `${line}${piece}`);
    else lines.push(piece.trimStart());
  }
  return lines;
}
