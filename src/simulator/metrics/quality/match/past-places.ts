import { cellAt } from '../text/tables.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { PAST_COLUMN, PAST_HEADING } from './past-cues.ts';

/** Characters of a name above a value that are looked at. */
const LONGEST_NAME = 80;

/** Lines that a change takes out at once. */
const MOST_LINES = 20;

/** Whether a value stands in a column, below a heading, or in a line of a diff, of what held before. */
export function isInPastPlace(index: TextIndex, place: Occurrence): boolean {
  const unit = index.unitOf[place.first] ?? 0;
  return (
    PAST_COLUMN.test(columnOf(index, unit, place)) ||
    PAST_HEADING.test((index.units[unit]?.above ?? '').slice(-LONGEST_NAME)) ||
    isTakenOut(index, unit)
  );
}

/** The name of the column of a value; empty where it stands in no table. */
function columnOf({ text, rows }: TextIndex, unit: number, { start }: Occurrence): string {
  const row = rows.get(unit);
  if (row === undefined) return '';
  const column = cellAt(row.cells, start);
  const [from = 0, to = 0] = [row.header.starts[column], row.header.ends[column]];
  return text.slice(from, Math.min(to, from + LONGEST_NAME));
}

/** Whether a line has a minus before it, as those below it, and the next one a plus. */
function isTakenOut({ text, units }: TextIndex, unit: number): boolean {
  const signOf = (other: number) => text.charAt(units[other]?.start ?? Infinity);
  let next = unit;
  while (next < unit + MOST_LINES && signOf(next) === '-') next += 1;
  return next > unit && signOf(next) === '+';
}
