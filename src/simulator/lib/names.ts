/** Names from outside as they are shown, and the valid ones that are nearest to an unknown one. */

import { badOption, HarnessError } from './errors.ts';
import { compareTexts } from './text.ts';

/** How near a candidate is to a wanted name: first by rank, then by edits. */
interface Likeness {
  readonly candidate: string;
  readonly rank: 0 | 1 | 2 | 3;
  readonly edits: number;
}

/** Edits from the beginnings of one text, of the last two lengths, to every beginning of another. */
interface EditRows {
  readonly beforeLast: readonly number[];
  readonly last: readonly number[];
}

/** Longest name that an error message repeats, in characters. */
const QUOTED_LENGTH = 80;

/** Longest value that an error message repeats where values may be long, in characters. */
const QUOTED_LONG_LENGTH = 200;

/** From how many characters on one other character is rather a slip than another name. */
const SLIPPED_LENGTH = 4;

/** From how many characters on a beginning in common says more than edits. */
const BEGINNING_LENGTH = 3;

/** Edits that a slip of the pen makes at most. */
const SLIPS = 2;

/** Up to this many names, an error message lists them all. */
const LISTED_NAMES = 12;

/** Controls, invisible formatting, lone surrogates and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text from outside in single quotes: cut when long, and with everything escaped that a terminal might obey. */
export function quoted(text: string, maxLength: number = QUOTED_LENGTH): string {
  return `'${escaped(cutText(text, maxLength))}'`;
}

/** A text that says when it goes on behind so many characters. */
export function cutText(text: string, maxLength: number): string {
  // A character takes at most two units, so that this much tells whether there are too many.
  const characters = Array.from(text.slice(0, 2 * maxLength + 2));
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : text;
}

/** A path from outside, or a reason that may have one in it, cut only when very long. */
export function quotedLong(text: string): string {
  return quoted(text, QUOTED_LONG_LENGTH);
}

/** The value that a table has under a name from outside. */
export function named<T extends object>(kind: string, table: T, name: string): T[keyof T] {
  if (hasKey(table, name)) return table[name];
  throw unknownName(kind, table, name);
}

/** What is said of a name from outside that a table does not have. */
export function unknownName(kind: string, table: object, name: string): HarnessError {
  const names = Object.keys(table);
  const nearest = `Unknown ${kind} ${quoted(name)}. Nearest: ${nearestNames(name, names).join(', ')}`;
  const message =
    names.length > LISTED_NAMES
      ? `${nearest} (of ${names.length}).`
      : `${nearest}. Expected one of: ${names.join(', ')}.`;
  return new HarnessError('UNKNOWN_NAME', message);
}

/**
 * The candidates most like a name, best first: one that a single edit makes of it, those that contain it, those that
 * contain the first half of it, then by edits.
 */
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

/** Whether a name is most likely another one, written wrongly. */
export function isMisspelt(name: string, wanted: string): boolean {
  const given = name.slice(0, QUOTED_LENGTH).toLowerCase();
  // Each edit makes a text longer or shorter by one character at most.
  if (Math.abs(given.length - wanted.length) > SLIPS) return false;
  return name !== wanted && countEdits(given, wanted.toLowerCase()) <= SLIPS;
}

/** What is said of an option that has something else than it takes. */
export function badValue(option: string, expected: string, got: string): HarnessError {
  return badOption(`Expected '${option}' to be ${expected}, got ${quoted(got)}.`);
}

/** Throws `HarnessError` where two texts of a list stand for the same, which their keys tell. */
export function checkEachOnce(
  list: string,
  texts: readonly string[],
  keys: readonly unknown[],
): void {
  const first = new Map<unknown, string>();
  for (const [index, text] of texts.entries()) {
    const earlier = first.get(keys[index]);
    if (earlier !== undefined) throw again(list, text, earlier);
    first.set(keys[index], text);
  }
}

function escaped(text: string): string {
  return text.replace(UNPRINTABLE, toEscape);
}

function toEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

function hasKey<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}

function likenessOf(candidate: string, wanted: string): Likeness {
  const lowered = candidate.toLowerCase();
  const edits = countEdits(wanted, lowered);
  if (edits <= 1 && wanted.length >= SLIPPED_LENGTH) return { candidate, rank: 0, edits };
  if (lowered.includes(wanted)) return { candidate, rank: 1, edits };
  const beginning = wanted.slice(0, Math.max(BEGINNING_LENGTH, Math.ceil(wanted.length / 2)));
  return { candidate, rank: lowered.includes(beginning) ? 2 : 3, edits };
}

/** Least insertions, deletions, replacements and swaps of neighbours that turn one text into another. */
function countEdits(from: string, to: string): number {
  let rows: EditRows = { beforeLast: [], last: Array.from({ length: to.length + 1 }, (_, i) => i) };
  for (let length = 1; length <= from.length; length++) {
    rows = { beforeLast: rows.last, last: nextEditRow(rows, from.slice(0, length), to) };
  }
  return rows.last[to.length] ?? 0;
}

function nextEditRow({ beforeLast, last }: EditRows, from: string, to: string): number[] {
  const row = [from.length];
  for (let length = 1; length <= to.length; length++) {
    const isSame = from.at(-1) === to[length - 1];
    const isSwap = from.at(-1) === to[length - 2] && from.at(-2) === to[length - 1];
    row.push(
      Math.min(
        at(last, length) + 1,
        at(row, length - 1) + 1,
        at(last, length - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, length - 2) + 1 : Number.POSITIVE_INFINITY,
      ),
    );
  }
  return row;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

function again(list: string, text: string, earlier: string): Error {
  const after = text === earlier ? 'again' : `after ${quoted(earlier)}`;
  return badOption(
    `Expected ${quoted(list)} to have each value once, got ${quoted(text)} ${after}.`,
  );
}
