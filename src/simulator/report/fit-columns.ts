import { wrapProse } from './wrap-prose.ts';
import { sum } from '../sum.ts';
import { GAP, widthsOf } from './align-rows.ts';
import type { NumberColumn } from './columns.ts';

/** A table, and what may be left out of it. */
export interface Fitting {
  /** Titles first. */
  readonly rows: readonly (readonly string[])[];
  /** Columns of the terminal; where they are unknown, everything fits. */
  readonly terminalColumns: number | undefined;
  /** Places of columns that may be left out, the last of them first. */
  readonly dispensable: readonly number[];
}

/** What of a table fits into a terminal. */
export interface Fitted {
  readonly rows: readonly (readonly string[])[];
  /** Titles of the columns that were left out, in their order. */
  readonly leftOut: readonly string[];
}

/** Takes of a table what must stand, and of the rest what there is room for. */
export function fitColumns({ rows, terminalColumns, dispensable }: Fitting): Fitted {
  if (terminalColumns === undefined) return { rows, leftOut: [] };
  const widths = widthsOf(rows).map((width) => width + GAP.length);
  const leftOut = new Set(dispensable);
  const isKept = (_: unknown, place: number) => !leftOut.has(place);
  let room = terminalColumns + GAP.length - sum(widths.filter(isKept));
  for (const place of dispensable) {
    const width = widths[place] ?? 0;
    if (width > room) continue;
    leftOut.delete(place);
    room -= width;
  }
  return {
    rows: rows.map((row) => row.filter(isKept)),
    leftOut: (rows[0] ?? []).filter((_, place) => leftOut.has(place)),
  };
}

/** Places of columns of numbers, the most telling one first, where the first column of them stands at some place. */
export function byRank(columns: readonly NumberColumn[], first: number): readonly number[] {
  return columns
    .map(({ rank }, index) => ({ rank, place: first + index }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ place }) => place);
}

/** What to say of columns that were left out; nothing where none was. */
export function describeLeftOut(titles: readonly string[], terminalColumns?: number): string {
  if (titles.length === 0) return '';
  const all = titles.join(', ');
  const text = `No room for ${all}: a wider terminal or --format markdown shows them.`;
  return wrapProse(text, terminalColumns);
}
