import { sum } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';

/** A unit with its text and position. */
export interface UnitPlace {
  readonly unit: string;
  readonly text: string;
  readonly start: number;
}

/** Frequencies of the characters before a unit. */
export type Prefixes = ReadonlyMap<string, number>;

/** The measure for fillers of a unit. */
export interface Weighing {
  /** Number of places of the unit. */
  readonly times: number;
  /** Excess tokens of a filler over all places; negative if it has too few. */
  errorOf(filler: string): number;
}

interface Target {
  readonly prefix: string;
  readonly times: number;
  readonly tokens: number;
}

/** Non-ASCII characters that can spell something, including marks, enclosed letters, Braille, flags, tags, private and unassigned ones. */
const SPELLING =
  /^[\p{L}\p{M}\p{N}\p{Co}\p{Cn}\p{Cs}\u2460-\u24ff\u2800-\u28ff\u{1f100}-\u{1f1ff}\u{e0000}-\u{e01ef}]$/u;
/** Segments that a tokenizer separates: digits, words of `camelCase`, and runs of one script. */
const SEGMENT =
  /\p{N}+|[\p{Lu}\p{Lt}]*[\p{Ll}\p{M}]+|[\p{Lu}\p{Lt}]+|\p{Script=Han}+|[\p{Lo}\p{Lm}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put few or no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Ends of contractions, which tokenizers know and which reveal nothing. */
const CONTRACTIONS: ReadonlySet<string> = new Set(['s', 't', 're', 've', 'm', 'll', 'd']);
/** Words before a contraction, in lower case; they reveal as little. */
const CONTRACTED: ReadonlySet<string> = new Set(
  'i you he she it we they that there here what who how let don doesn didn isn aren wasn weren won wouldn can couldn shouldn haven hasn hadn'.split(
    ' ',
  ),
);
const CONTRACTION = /^['’](?:s|t|re|ve|m|ll|d)(?![\p{L}\p{N}])/iu;
const [STRAIGHT_APOSTROPHE, CURLY_APOSTROPHE] = [0x27, 0x2019];
const LONGEST_CONTRACTION = 4;
const ESCAPES: ReadonlySet<string> = new Set(['n', 'r', 't']);
const LETTER = /\p{L}/u;
const ALPHANUMERIC = /[\p{L}\p{N}]/u;
const SHORT_NUMBER = /^[0-9]{1,4}$/;
/** Left delimiters of a path, address or version. */
const OUTSIDE = /[\s"'`<>()[\]{},;|*]/u;
/** A separator before the next piece of a path, address or version. */
const LINKED = /^[._\-/@:+#~%&=?\\][\p{L}\p{N}]/u;
const FIRST_BEYOND_ASCII = 0x80;
const CASE_BIT = 0x20;
const [LOWER_A, LOWER_Z, DIGIT_0, DIGIT_9] = [0x61, 0x7a, 0x30, 0x39];
const [FIRST_HIGH_SURROGATE, LAST_HIGH_SURROGATE] = [0xd800, 0xdbff];
/** Characters searched backwards for the start of a run or a word. */
const MAX_RUN_LENGTH = 64;
const WORD = /[\p{L}\p{N}_]+/gu;
/** A single word often repeats on counted lines. */
const WORDS_BEFORE = 2;

/** Longer units are data and are filled in pieces. */
export const LONGEST_WORD = 64;
const MOST_TARGETS = 6;
/** Longest text counted at once; tokenizers slow down on longer ones. */
const MOST_COUNTED_CHARS = 4_000;

/** Visits every unit of a text, except contractions. */
export function eachUnit(text: string, visit: (place: UnitPlace) => void): void {
  let start = 0;
  while (start < text.length) {
    const end = endOfUnit(text, start);
    if (end === start) {
      start += text.charCodeAt(start) < FIRST_BEYOND_ASCII ? 1 : widthAt(text, start);
      continue;
    }
    const place = { unit: text.slice(start, end), text, start };
    if (!isFixed(place)) visit(place);
    start = end;
  }
}

/** Replaces every unit of a text, except contractions. */
export function replaceUnits(text: string, replace: (place: UnitPlace) => string): string {
  let replaced = '';
  let done = 0;
  eachUnit(text, (place) => {
    replaced += text.slice(done, place.start) + replace(place);
    done = place.start + place.unit.length;
  });
  return replaced + text.slice(done);
}

export function unitsOf(text: string): readonly string[] {
  const units: string[] = [];
  eachUnit(text, ({ unit }) => units.push(unit));
  return units;
}

/** Splits a unit into its segments. */
export function segmentsOf(unit: string): readonly string[] {
  return unit.match(SEGMENT) ?? [unit];
}

/** Recognizes units of scripts that put no spaces between words. */
export function isUnspaced(unit: string): boolean {
  return UNSPACED.test(unit);
}

/** Recognizes numbers so short that many different things share them. */
export function isShortNumber(unit: string): boolean {
  return unit.length <= 4 && SHORT_NUMBER.test(unit);
}

/**
 * The context that keys a short number. Within a path, address or version it is the beginning, so that equal ones stay equal; else
 * the two words before it, so that copies stay equal to their source and counted lines do not reveal their neighbours.
 */
export function numberKey({ unit, text, start }: UnitPlace): string {
  let runStart = start;
  const limit = Math.max(0, start - MAX_RUN_LENGTH);
  while (runStart > limit && !OUTSIDE.test(text.charAt(runStart - 1))) runStart--;
  const before = text.slice(runStart, start);
  if (ALPHANUMERIC.test(before)) return `after ${before}`;
  const end = start + unit.length;
  if (LINKED.test(text.slice(end, end + 2))) return 'first';
  const words = text.slice(limit, start).match(WORD) ?? [];
  return words.length === 0 ? `at ${start}` : `behind ${words.slice(-WORDS_BEFORE).join(' ')}`;
}

/** The character that tokenizers join with a unit; empty if there is none. */
export function prefixOf({ text, start }: UnitPlace): string {
  const before = text.charAt(start - 1);
  if (before === '' || before === ' ' || before === '\t' || before === '\n') return before;
  const outer = text.charAt(start - 2);
  const isAlone = outer === '' || outer === '\n' || outer === '\t' || ALPHANUMERIC.test(outer);
  return isAlone ? before : '';
}

/** Counts a unit at its most frequent places; for a long unit the prefix makes no difference. */
export function createWeighing(
  unit: string,
  prefixes: Prefixes,
  count: (text: string) => number,
): Weighing {
  const weigh = (text: string): number =>
    text.length <= MOST_COUNTED_CHARS ? count(text) : countPieces(text, count);
  const targets = targetsOf(unit, prefixes, weigh);
  return {
    times: sum(targets.map(({ times }) => times)),
    errorOf: (filler) =>
      targets.reduce(
        (total, { prefix, times, tokens }) => total + times * (weigh(prefix + filler) - tokens),
        0,
      ),
  };
}

function endOfUnit(text: string, start: number): number {
  let end = start;
  while (end < text.length && isSpelling(text, end)) end += widthAt(text, end);
  return end;
}

function isSpelling(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code >= FIRST_BEYOND_ASCII) {
    return SPELLING.test(String.fromCodePoint(text.codePointAt(index) ?? 0));
  }
  const lower = code | CASE_BIT;
  return (lower >= LOWER_A && lower <= LOWER_Z) || (code >= DIGIT_0 && code <= DIGIT_9);
}

function widthAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < FIRST_HIGH_SURROGATE || code > LAST_HIGH_SURROGATE) return 1;
  return (text.codePointAt(index) ?? 0) > code ? 2 : 1;
}

function isFixed(place: UnitPlace): boolean {
  const { unit, text, start } = place;
  if (unit.length === 1 && text.charAt(start - 1) === '\\') return ESCAPES.has(unit);
  return isContraction(place) || isContracted(place);
}

function isContraction({ unit, text, start }: UnitPlace): boolean {
  return (
    unit.length <= 2 &&
    isApostrophe(text, start - 1) &&
    CONTRACTIONS.has(unit.toLowerCase()) &&
    LETTER.test(text.charAt(start - 2))
  );
}

function isApostrophe(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === STRAIGHT_APOSTROPHE || code === CURLY_APOSTROPHE;
}

function isContracted({ unit, text, start }: UnitPlace): boolean {
  const end = start + unit.length;
  return (
    isApostrophe(text, end) &&
    CONTRACTED.has(unit.toLowerCase()) &&
    CONTRACTION.test(text.slice(end, end + LONGEST_CONTRACTION))
  );
}

function countPieces(text: string, count: (text: string) => number): number {
  const countOnce = remembered(count);
  let total = 0;
  for (let start = 0; start < text.length; start += MOST_COUNTED_CHARS) {
    total += countOnce(text.slice(start, start + MOST_COUNTED_CHARS));
  }
  return total;
}

function targetsOf(
  unit: string,
  prefixes: Prefixes,
  count: (text: string) => number,
): readonly Target[] {
  if (unit.length > LONGEST_WORD) {
    const times = sum([...prefixes.values()]);
    return [{ prefix: '', times, tokens: count(unit) }];
  }
  return [...prefixes]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, MOST_TARGETS)
    .map(([prefix, times]) => ({ prefix, times, tokens: count(prefix + unit) }));
}
