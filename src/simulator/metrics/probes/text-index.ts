import { addToGroup, firstAtLeast } from '../../lib/collections.ts';
import {
  isOneWord,
  isWordCharacter,
  normaliseText,
  type ScannedWords,
  scanWords,
  UNITS,
} from './words.ts';

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
  /** Positions of a word, in order, in singular or plural. */
  readonly placesOf: (word: string) => readonly number[];
}

/** A place of a value. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  /** The first and the last of its words. */
  readonly first: number;
  readonly last: number;
  /** True if it is part of a longer absolute path. */
  readonly isPrefixed: boolean;
}

/** The cells of a row in order, in characters. */
export interface Cells {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A row of a table, and the one that names its columns. */
export interface Row {
  readonly cells: Cells;
  readonly header: Cells;
}

/** A piece of a text whose content belongs together: a list item, a table row, or a sentence. */
export interface Unit {
  readonly start: number;
  readonly end: number;
  /** The heading above it, with the line that introduces its list; empty where there is neither. */
  readonly above: string;
  /** It goes on with the sentence of the line before. */
  readonly isContinuation: boolean;
}

interface Line {
  readonly start: number;
  readonly text: string;
}

/** A piece of a text, in characters. */
type Piece = Pick<Occurrence, 'start' | 'end'>;

const NONE: readonly number[] = [];
/** Shorter words end with an s of their own. */
const SHORTEST_PLURAL = 3;

/** Text that may precede a value that is the end of an absolute or shortened path. */
const ROOT = /(?:^|[^\w./~-])(?:~|\.{3}|…|[a-z]:)?(?:\/[\w.@~-]*)*\/$|[a-z]+:\/\/[\w./@~:-]*\/$/;
/** A number, with its unit or without. */
const NUMBER = /^\d+(?:[.,]\d+)*(?: ?[a-z%]+)?$/;
/** No path before a value is longer. */
const LONGEST_ROOT = 200;

/** Units that are not parts of numbers, as letters for thousands and millions are. */
const WHOLE_UNITS = [...UNITS.filter((unit) => !['k', 'm', '%'].includes(unit)), 'byte', 'b'];
const WITH_UNIT = new RegExp(`^(\\d+)(?:${WHOLE_UNITS.join('|')})$`);
const UNIT_BEHIND = new RegExp(`^-?(?:${WHOLE_UNITS.join('|')})(?![\\w-])`);
/** Longest number and unit, in characters. */
const LONGEST_UNIT = 12;
const BARE_NUMBER = /^\d[\d.,_' ]*$/;

/** Suffixes that extend a name without changing its meaning. */
const OF_THAT_NAME =
  /^-(?:based|specific|types?|typed|related|driven|backed|powered|aware)(?![\w-])/;
const LONGEST_ENDING = 12;

/** Patterns of names that are whole beside one another: `E_OLD/E_NEW`. */
const KINDS = [
  /^(?:e|err)_\w+$|^\w+(?:error|exception)$/,
  /^(?=[\w-]*\d)(?=[\w-]*[_-])[\w-]+$/,
  /^[a-z]\w*_\w+$/,
];
const NAME_BEFORE = /(?<![\w./~@-])[\w-]+(?=\/$)/;
const NAME_BEHIND = /^\/([\w-]+)(?![\w/@-]|\.\w)/;
const LONGEST_NAME = 100;

const BAR = /(?<!\\)\|/g;
/** The line below the column names of a table. */
const RULE = /^[\s|:-]+$/;

const HEADING = /^\s*#{1,6}\s+\S|^\s*\*{0,2}[^\s].{0,60}[:：]\*{0,2}\s*$/;
const MARKED_HEADING = /^\s*#{1,6}\s/;
const ITEM = /^\s*(?:[-*+•·▪–]\s|\d{1,3}[.)、]\s?|[|>]|\[[ x~-]\])/;
/** Where a sentence ends. A full stop inside of a name has no blank behind it. */
const SENTENCE_END_AT_LINE_END = /[.!?;:。！？：；|]$/;
const SENTENCE_END = /[.!?;](?=\s|$)|[。！？]|[!?;](?=[\u3040-\u9fff])/g;

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

/** All places where a normalised value stands whole, not as part of a longer name or number. */
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

/** The number of the cell that holds a character. */
export function cellAt({ ends }: Cells, at: number): number {
  return firstAtLeast(ends, at);
}

/** The pieces of a text that lie within none of the others: a part of a longer value is represented by that alone. */
export function outside<Placed extends { readonly place: Piece }>(
  pieces: readonly Placed[],
  others: readonly { readonly place: Piece }[],
): readonly Placed[] {
  const isCovered = coverOf(others.map(({ place }) => place));
  return pieces.filter(({ place }) => !isCovered(place));
}

/** The units of a normalised text in order; headings are units of their own. */
function splitUnits(text: string): readonly Unit[] {
  const units: Unit[] = [];
  let heading = '';
  let lead = '';
  let isOpen = false;
  for (const line of linesOf(text)) {
    const isHeading = HEADING.test(line.text);
    const isItem = ITEM.test(line.text);
    const isContinuation = isOpen && !isItem && !isHeading;
    isOpen = line.text.trim() !== '' && !isHeading && !SENTENCE_END_AT_LINE_END.test(line.text);
    if (line.text.trim() === '') continue;
    if (MARKED_HEADING.test(line.text)) [heading, lead] = [line.text, ''];
    else if (isHeading) lead = line.text;
    else if (!isItem) lead = '';
    const above = isHeading ? '' : `${heading} ${lead}`.trim();
    const own = isItem || isHeading ? [line] : sentencesOf(line);
    for (const [number, { start, text: own_ }] of own.entries()) {
      const isNext = isContinuation && number === 0;
      units.push({ start, end: start + own_.length, above, isContinuation: isNext });
    }
  }
  return units;
}

function* linesOf(text: string): Generator<Line, void, undefined> {
  let start = 0;
  while (start <= text.length) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield { start, text: text.slice(start, end) };
    start = end + 1;
  }
}

function sentencesOf({ start, text }: Line): readonly Line[] {
  const ends = [...text.matchAll(SENTENCE_END)].map(({ index }) => index + 1);
  const bounds = [0, ...ends, text.length];
  return bounds.flatMap((from, index) => {
    const sentence = text.slice(from, bounds[index + 1] ?? from);
    return sentence.trim() === '' ? [] : [{ start: start + from, text: sentence }];
  });
}

function stemOf(word: string): string {
  const isPlural = word.length > SHORTEST_PLURAL && word.endsWith('s') && !word.endsWith('ss');
  return isPlural ? word.slice(0, -1) : word;
}

/** The digits of a number that is written in one word with its unit. */
function digitsOf(word: string): string | undefined {
  const isMixed = /^\d/.test(word) && /\D$/.test(word);
  return isMixed ? WITH_UNIT.exec(word)?.[1] : undefined;
}

function unitsOfWords({ starts }: ScannedWords, units: readonly Unit[]): readonly number[] {
  let unit = 0;
  return starts.map((start) => {
    while (unit < units.length - 1 && start >= (units[unit]?.end ?? 0)) unit += 1;
    return unit;
  });
}

/** The rows of the tables of a text by their units, without those that name columns: the first, or one above a rule. */
function findRows(text: string, units: readonly Unit[]): ReadonlyMap<number, Row> {
  const rows = new Map<number, Row>();
  let header: Cells | undefined;
  let last: Cells | undefined;
  for (const [number, unit] of units.entries()) {
    const line = text.slice(unit.start, unit.end);
    const isRow = line.trimStart().startsWith('|');
    const isNext = units[number - 1]?.end === unit.start - 1;
    if (!isRow || !isNext) {
      header = undefined;
      last = undefined;
    }
    if (!isRow) continue;
    if (RULE.test(line) && line.includes('-')) {
      header = last;
      continue;
    }
    last = cellsOf(line, unit.start);
    if (header === undefined) header = last;
    else rows.set(number, { cells: last, header });
  }
  return rows;
}

function cellsOf(line: string, from: number): Cells {
  const bars = [...line.matchAll(BAR)].map(({ index }) => from + index);
  return {
    starts: bars.map((bar) => bar + 1),
    ends: [...bars.slice(1), from + line.length],
  };
}

/** The start of a value: nothing before it, its parent folders, or a longer name. */
function edgeBefore(text: string, start: number, value: string): 'free' | 'rooted' | 'joined' {
  const before = text[start - 1];
  if (before === undefined) return 'free';
  const isWord = isWordCharacter(value[0]);
  if (isOneWord(before, value[0])) return 'joined';
  if (before === '/') {
    if (isAlternative(value, nameBefore(text, start))) return 'free';
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

function isAlternative(value: string, other: string | undefined): boolean {
  return other !== undefined && KINDS.some((kind) => kind.test(value) && kind.test(other));
}

function nameBefore(text: string, start: number): string | undefined {
  return NAME_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_NAME), start))?.[0];
}

/** A number with a minus is another one; a hyphen between words is none. */
function isMinus(character: string, before: string | undefined): boolean {
  return (
    character === '−' || (character === '-' && (before === undefined || !/[-\w]/.test(before)))
  );
}

/** Tests if a full stop beside a value changes it: for a path or a number. */
function hasDots(value: string): boolean {
  return value.includes('/') || /^\d+$/.test(value);
}

/** Digits on both sides of a full stop make one number of it, as of a version. */
function isDigit(...characters: readonly (string | undefined)[]): boolean {
  return characters.every((character) => /^\d$/.test(character ?? ''));
}

/** Tests if a value continues after its end. */
function isJoinedAfter(text: string, end: number, value: string): boolean {
  if (!isWordCharacter(value.at(-1))) return false;
  const [next = '', afterNext] = [text[end], text[end + 1]];
  if (isOneWord(value.at(-1), next)) return !isBeforeWholeUnit(text, end, value);
  if (next === '-') {
    return (
      isWordCharacter(afterNext) &&
      !isBeforeWholeUnit(text, end, value) &&
      !isInWordOfName(text, end)
    );
  }
  if (next === '/') {
    return isWordCharacter(afterNext) && !isAlternative(value, nameBehind(text, end));
  }
  if (next === '.') {
    return hasDots(value) ? isWordCharacter(afterNext) : isDigit(value.at(-1), afterNext);
  }
  return next === ',' && /\d/.test(afterNext ?? '') && /\d$/.test(value);
}

function isBeforeWholeUnit(text: string, end: number, value: string): boolean {
  return BARE_NUMBER.test(value) && UNIT_BEHIND.test(text.slice(end, end + LONGEST_UNIT));
}

function isInWordOfName(text: string, end: number): boolean {
  return OF_THAT_NAME.test(text.slice(end, end + LONGEST_ENDING));
}

function nameBehind(text: string, end: number): string | undefined {
  return NAME_BEHIND.exec(text.slice(end, end + LONGEST_NAME))?.[1];
}

function coverOf(others: readonly Piece[]): (piece: Piece) => boolean {
  const inOrder = others.toSorted((a, b) => a.start - b.start);
  const starts = inOrder.map(({ start }) => start);
  let farthest = 0;
  const ends = inOrder.map(({ end }) => {
    farthest = Math.max(farthest, end);
    return farthest;
  });
  return ({ start, end }) => (ends[firstAtLeast(starts, start + 1) - 1] ?? -1) >= end;
}
