/** Values in a text, in any spelling, and other strings that look like values. */

import { lowered, plainText, unitOf } from './spelling.ts';

/** A value that is looked for, with its spellings. */
export interface SoughtValue {
  readonly key: string;
  readonly spellings: readonly string[];
}

/** A sought value, or a string that looks like one. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  /** Absent for other strings that look like values. */
  readonly key?: string;
}

/** Stands for values, whose words are none of the text. */
export const VALUE = '\uE000';

/** As in `Redis-Cluster`. */
const COMPOUND = /^-\p{Lu}\p{Ll}+(?![\p{L}\d_/.-]\S)/u;
const VALUE_LIKE =
  /(?<![\p{Script=Latin}\d_.])\d+(?:\.\d+)? (?:byte|ms|percent|weekday|date|clock)|(?<![\p{Script=Latin}\d_])(?:[\w.~-]{0,80}\/){0,20}(?=[\w-]{0,80}\d)(?:[a-z_-][\w-]{0,80}\d|\d[\w-]{0,80}[a-z_]|\d{4,40})[\w-]{0,80}(?:\.\w{1,20}){0,3}/giu;

/** Finds values in a plain text in any case, longer spellings first; none overlap. */
export function findValues(text: string, values: readonly SoughtValue[]): readonly FoundValue[] {
  const plain = lowered(text);
  const spellings = values
    .flatMap(({ key, spellings: own }) => own.map((one) => ({ key, spelling: plainText(one) })))
    .filter(({ spelling }) => spelling !== '')
    .toSorted((a, b) => b.spelling.length - a.spelling.length);
  const taken = new Uint8Array(plain.length);
  const found: FoundValue[] = [];
  const take = (start: number, end: number, key?: string) => {
    if (taken[start] === 1 || taken[end - 1] === 1) return;
    taken.fill(1, start, end);
    found.push({ start, end, ...(key !== undefined && { key }) });
  };
  for (const { key, spelling } of spellings) {
    for (let at = plain.indexOf(spelling); at >= 0; at = plain.indexOf(spelling, at + 1)) {
      const end = at + spelling.length;
      if (isWhole(text, at, end)) take(at, end, key);
    }
  }
  for (const { index, 0: match } of plain.matchAll(VALUE_LIKE)) take(index, index + match.length);
  return found.toSorted((a, b) => a.start - b.start);
}

/** Tests if a string can hardly stand anywhere by chance. */
export function isDistinctive(value: string): boolean {
  const plain = plainText(value);
  if (unitOf(plain) !== undefined) return false;
  return (
    /\d{5}|\p{L}\S*\d|\d\S*\p{L}|[/\\_]/u.test(plain) ||
    (plain.length >= 12 && !/^\d+ /.test(plain))
  );
}

function isWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 1), start);
  const after = text.slice(end, end + 2);
  const first = text.charAt(start);
  const last = text.charAt(end - 1);
  if (/[\p{Script=Latin}\d_]/u.test(first) && /[\p{Script=Latin}\d_]/u.test(before)) return false;
  if (COMPOUND.test(text.slice(end))) return true;
  if (!isDistinctive(text.slice(start, end)) && /[-.]/.test(before)) return false;
  if (last === '_' || !/[\p{Script=Latin}\d]/u.test(last)) return true;
  return !/^[\p{Script=Latin}\d_]|^[-./][\p{Script=Latin}\d]/u.test(after);
}
