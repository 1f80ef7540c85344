import { addToGroup } from '../../../lib/collections.ts';
import { digitsOf, edgeBefore, isJoinedAfter } from './edges.ts';
import { normaliseText } from './normalise.ts';
import { type ScannedWords, scanWords } from './scan-words.ts';
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
/** Prepares a text. Linear in its length. */
export function indexText(source: string): TextIndex {
  const lines = normaliseText(source);
  const units = splitUnits(lines);
  const text = lines.replaceAll('\n', ' ');
  const words = scanWords(text);
  const places = new Map<string, number[]>();
  words.starts.forEach((start, place) => {
    const word = text.slice(start, words.ends[place]);
    addToGroup(places, stemOf(word), place);
    const digits = digitsOf(word);
    if (digits !== undefined) addToGroup(places, digits, place);
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
