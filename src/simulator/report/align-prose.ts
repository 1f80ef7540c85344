import { alignRows, fillEnd, GAP, widthOf } from './align-rows.ts';
import type { Terminal } from './report.ts';
import { wrapAfter } from './wrap-prose.ts';

type Rows = readonly (readonly string[])[];

/** Where less room is left, prose stands below its row. */
const LEAST_ROOM = 20;
const INDENT = '  ';

/** Rows of words with prose at their ends: where a terminal has no room for it, it goes on below its start. A name alone is no prose. */
export function alignProse(rows: Rows, { terminalColumns }: Terminal): string {
  const text = alignWords(rows);
  if (terminalColumns === undefined || widestOf(text) <= terminalColumns) return text;
  const heads = alignWords(rows.map((row) => row.slice(0, -1)));
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

function alignWords(rows: Rows): string {
  return alignRows(rows, () => true);
}

function widestOf(text: string): number {
  return Math.max(...text.split('\n').map(widthOf));
}
