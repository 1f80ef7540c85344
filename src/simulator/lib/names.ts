/** Quotes names from outside, looks them up, and suggests the nearest valid ones. */

import { badOption, HarnessError } from './errors.ts';
import { compareTexts, typosBetween } from './text.ts';

const QUOTED_LENGTH = 80;
const QUOTED_LONG_LENGTH = 200;
const SLIPPED_LENGTH = 4;
const BEGINNING_LENGTH = 3;
const SLIPS = 2;

/** Most names that an error message lists. */
export const LISTED_NAMES = 12;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A string from outside in single quotes: cut when long, control characters escaped. */
export function quoted(text: string, maxLength: number = QUOTED_LENGTH): string {
  return `'${escaped(cutText(text, maxLength))}'`;
}

/** A string cut to a number of characters, with `…` at the cut. */
export function cutText(text: string, maxLength: number): string {
  // A character takes at most two units, so that this much tells whether there are too many.
  const characters = Array.from(text.slice(0, 2 * maxLength + 2));
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}

/** Quotes a path, or a reason with a path, cut only when very long. */
export function quotedLong(text: string): string {
  return quoted(text, QUOTED_LONG_LENGTH);
}

/** The table's value of a name. Throws `HarnessError` for an unknown name. */
export function named<T extends object>(kind: string, table: T, name: string): T[keyof T] {
  if (Object.hasOwn(table, name)) return table[name as keyof T];
  throw unknownName(kind, table, name);
}

/** An error about an unknown name, with the nearest known ones. */
export function unknownName(kind: string, table: object, name: string): HarnessError {
  const hint = describeNearest(name, Object.keys(table), { lists: true });
  return new HarnessError('UNKNOWN_NAME', `Unknown ${kind} ${quoted(name)}${hint}.`);
}

/** The end of a sentence that refuses a name: the nearest known ones, and, if wanted, all of a short list. Empty where none is known. */
export function describeNearest(
  name: string,
  candidates: Iterable<string>,
  { lists = false }: { readonly lists?: boolean } = {},
): string {
  const names = [...candidates];
  if (names.length === 0) return '';
  const nearest = `; nearest: ${nearestNames(name, names).join(', ')}`;
  const isShort = lists && names.length <= LISTED_NAMES;
  return isShort ? `${nearest}. Expected one of: ${names.join(', ')}` : nearest;
}

/** The candidates most like a name: first those one edit away, those that contain it, those with its first half, then by edits. */
export function nearestNames(
  name: string,
  candidates: Iterable<string>,
  count: number = 3,
): readonly string[] {
  const wanted = name.slice(0, QUOTED_LENGTH).toLowerCase();
  return [...candidates]
    .map((candidate) => likenessOf(candidate, wanted))
    .toSorted(
      (a, b) => a.rank - b.rank || a.edits - b.edits || compareTexts(a.candidate, b.candidate),
    )
    .slice(0, count)
    .map(({ candidate }) => escaped(candidate));
}

/** True for a probable misspelling of the wanted name. */
export function isMisspelt(name: string, wanted: string): boolean {
  const given = name.slice(0, QUOTED_LENGTH).toLowerCase();
  // Each edit makes a text longer or shorter by one character at most.
  if (Math.abs(given.length - wanted.length) > SLIPS) return false;
  return name !== wanted && typosBetween(given, wanted.toLowerCase()) <= SLIPS;
}

/** An error about the value of an option. */
export function badValue(option: string, expected: string, got: string): HarnessError {
  return badOption(`Expected '${option}' to be ${expected}, got ${quoted(got)}.`);
}

/** Throws `HarnessError` if two strings of a list have the same key. */
export function checkEachOnce(
  list: string,
  texts: readonly string[],
  keys: readonly unknown[],
): void {
  const first = new Map<unknown, string>();
  for (const [index, text] of texts.entries()) {
    const earlier = first.get(keys[index]);
    if (earlier !== undefined) {
      const after = text === earlier ? 'again' : `after ${quoted(earlier)}`;
      const expected = `Expected ${quoted(list)} to have each value once`;
      throw badOption(`${expected}, got ${quoted(text)} ${after}.`);
    }
    first.set(keys[index], text);
  }
}

function escaped(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
  });
}

function likenessOf(candidate: string, wanted: string) {
  const lowered = candidate.toLowerCase();
  const edits = typosBetween(wanted, lowered);
  if (edits <= 1 && wanted.length >= SLIPPED_LENGTH) return { candidate, rank: 0, edits };
  if (lowered.includes(wanted)) return { candidate, rank: 1, edits };
  const beginning = wanted.slice(0, Math.max(BEGINNING_LENGTH, Math.ceil(wanted.length / 2)));
  return { candidate, rank: lowered.includes(beginning) ? 2 : 3, edits };
}
