/** Cells of the tables of statistics. */

import { shownText } from '../shown-text.ts';
import { formatCount, UNKNOWN } from '../numbers.ts';
import { formatPercent } from '../percent.ts';

/** Sizes below this are shown with their tenths. */
const SMALL = 10;
const TENTHS = 1;

/** Most characters of a name in a table of statistics. */
export const LONGEST_NAME = 44;

/** A size or a time: whole, or with its tenths where it is small. */
export function sizeCell(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const isWhole = Number.isInteger(value) || Math.abs(value) >= SMALL;
  return isWhole ? signed(Math.round(value)) : value.toFixed(TENTHS);
}

/** A share in percent with its tenths. */
export function shareCell(share: number | null | undefined): string {
  return share === null || share === undefined ? UNKNOWN : formatPercent(share, TENTHS);
}

/** A name from outside, not longer than a table or its place can bear. */
export function nameCell(name: string, longest = LONGEST_NAME): string {
  const characters = Array.from(shownText(name));
  if (characters.length <= longest) return characters.join('');
  return `${characters.slice(0, longest - 1).join('')}…`;
}

function signed(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : formatCount(value);
}
