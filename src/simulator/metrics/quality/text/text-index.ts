import { addToGroup } from '../../../group-by.ts';
import { normaliseText } from './normalise.ts';
import { isWordCharacter, type ScannedWords, scanWords } from './scan-words.ts';
import { findRows, type Row } from './tables.ts';
import { splitUnits, type Unit } from './units.ts';

/** A text made ready for looking up many values in it. */
export interface TextIndex {
  /** Normalised, with a blank for each end of a line. */
  readonly text: string;
  readonly words: ScannedWords;
  readonly units: readonly Unit[];
  /** The unit of each word. */
  readonly unitOf: readonly number[];
  /** Rows of tables, by their units. */
  readonly rows: ReadonlyMap<number, Row>;
  /** Places of a word among the words, in order, whatever its number. */
  readonly placesOf: (word: string) => readonly number[];
}

/** Where a value stands. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  /** The first and the last of its words. */
  readonly first: number;
  readonly last: number;
  /** It stands there as part of a longer absolute path. */
  readonly isPrefixed: boolean;
}

const NONE: readonly number[] = [];
/** Shorter words end with an s of their own. */
const SHORTEST_PLURAL = 3;
/** What may stand before a value that is the end of an absolute path, or of one cut short. */
const ROOT = /(?:^|[^\w./~-])(?:~|\.{3}|…|[a-z]:)?(?:\/[\w.@~-]*)*\/$|[a-z]+:\/\/[\w./@~:-]*\/$/;
/** A number, with its unit or without. */
const NUMBER = /^\d+(?:[.,]\d+)*(?: ?[a-z%]+)?$/;
/** No path before a value is longer. */
const LONGEST_ROOT = 200;

/** Prepares a text. Linear in its length. */
export function indexText(source: string): TextIndex {
  const lines = normaliseText(source);
  const units = splitUnits(lines);
  const text = lines.replaceAll('\n', ' ');
  const words = scanWords(text);
  const places = new Map<string, number[]>();
  words.starts.forEach((start, place) => {
    const stem = stemOf(text.slice(start, words.ends[place]));
    addToGroup(places, stem, place);
  });
  return {
    text,
    words,
    units,
    unitOf: unitsOfWords(words, units),
    rows: findRows(text, units),
    placesOf: (word) => places.get(stemOf(word)) ?? NONE,
  };
}

/** The words of a short normalised text. */
export function wordsOf(text: string): readonly string[] {
  const { starts, ends } = scanWords(text);
  return starts.map((start, place) => text.slice(start, ends[place]));
}

/** Every place where a normalised value stands whole, not as part of a longer name or number. */
export function findValue(index: TextIndex, value: string): readonly Occurrence[] {
  const { starts, ends } = scanWords(value);
  let offset = 0;
  let rarest = 0;
  let places: readonly number[] | undefined;
  for (let word = 0; word < starts.length; word++) {
    const start = starts[word] ?? 0;
    const own = index.placesOf(value.slice(start, ends[word]));
    if (own.length === 0) return [];
    if (places === undefined || own.length < places.length) {
      [places, rarest, offset] = [own, word, start];
    }
  }
  const found: Occurrence[] = [];
  for (const place of places ?? NONE) {
    const start = (index.words.starts[place] ?? 0) - offset;
    if (!index.text.startsWith(value, start)) continue;
    const end = start + value.length;
    const edge = edgeBefore(index.text, start, value);
    if (edge === 'joined' || isJoinedAfter(index.text, end, value)) continue;
    const first = place - rarest;
    const last = first + starts.length - 1;
    found.push({ start, end, first, last, isPrefixed: edge === 'rooted' });
  }
  return found;
}

function stemOf(word: string): string {
  const isPlural = word.length > SHORTEST_PLURAL && word.endsWith('s') && !word.endsWith('ss');
  return isPlural ? word.slice(0, -1) : word;
}

function unitsOfWords({ starts }: ScannedWords, units: readonly Unit[]): readonly number[] {
  let unit = 0;
  return starts.map((start) => {
    while (unit < units.length - 1 && start >= (units[unit]?.end ?? 0)) unit += 1;
    return unit;
  });
}

function edgeBefore(text: string, start: number, value: string): 'free' | 'rooted' | 'joined' {
  const before = text[start - 1];
  if (before === undefined) return 'free';
  const isWord = isWordCharacter(value[0]);
  if (isWord && isWordCharacter(before)) return 'joined';
  if (before === '/') {
    const root = text.slice(Math.max(0, start - LONGEST_ROOT), start);
    return ROOT.test(root) ? 'rooted' : 'joined';
  }
  if (isMinus(before, text[start - 2]) && NUMBER.test(value)) return 'joined';
  const isPoint = before === '.' && (hasDots(value) || isDigit(value[0], text[start - 2]));
  const isLink = before === '-' || before === ',' || isPoint;
  const isJoined = isLink && isWordCharacter(text[start - 2]) && isWord;
  const isNumberGroup = before === ',' && !/\d/.test(value[0] ?? '');
  return isJoined && !isNumberGroup ? 'joined' : 'free';
}

/** A number with a minus is another one; a hyphen between words is none. */
function isMinus(character: string, before: string | undefined): boolean {
  return (
    character === '−' || (character === '-' && (before === undefined || !/[-\w]/.test(before)))
  );
}

/** Whether a full stop beside it makes another value of it: of a path or a number. */
function hasDots(value: string): boolean {
  return value.includes('/') || /^\d+$/.test(value);
}

/** Digits on both sides of a full stop make one number of it, as of a version. */
function isDigit(...characters: readonly (string | undefined)[]): boolean {
  return characters.every((character) => /^\d$/.test(character ?? ''));
}

function isJoinedAfter(text: string, end: number, value: string): boolean {
  if (!isWordCharacter(value.at(-1))) return false;
  const [next = '', afterNext] = [text[end], text[end + 1]];
  if (isWordCharacter(next)) return true;
  if (next === '-' || next === '/') return isWordCharacter(afterNext);
  if (next === '.') {
    return hasDots(value) ? isWordCharacter(afterNext) : isDigit(value.at(-1), afterNext);
  }
  return next === ',' && /\d/.test(afterNext ?? '') && /\d$/.test(value);
}
