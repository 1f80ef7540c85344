import { stringify } from 'csv-stringify/sync';
import { shownText } from './shown-text.ts';

/** A line of a CSV file. Numbers stay numbers: a negative one is no formula. */
export function toCsvLine(cells: readonly (string | number | boolean | null)[]): string {
  const shown = cells.map((cell) => {
    if (typeof cell === 'string') return shownText(cell);
    return typeof cell === 'boolean' ? String(cell) : cell;
  });
  return stringify([shown], { escape_formulas: true });
}
