import type { Message, Part } from '../../../engine/index.ts';
import { FNV } from '../../../engine/internal.ts';
import { saidTexts } from './reference.ts';

/** Receives the number of a term. */
type TermSink = (term: number) => void;

/** The terms that the steps of a session write, by number; no others need to be remembered. */
export interface WrittenTerms {
  /** Those of a part, each once, in their order. */
  saidIn(part: Part): readonly number[];
  /** Those that a text holds. */
  findIn(text: string, sink: TermSink): void;
}

/** Numbers for terms, which two hashes stand for, from 0 on in the order in which they came. */
interface TermTable {
  readonly size: number;
  /** The number of a term, which gets one if it has none. */
  add(first: number, second: number): number;
  /** The number of a term; `NO_TERM` where it has none. */
  find(first: number, second: number): number;
}

/** Receives a name as two hashes. */
type NameSink = (first: number, second: number) => void;

/** Character features that make a word a name. */
interface Features {
  /** Bits of all of them. */
  readonly kinds: number;
  readonly slashes: number;
  /** A capital letter behind a small one. */
  readonly hasHump: boolean;
}

/** All rows of eight words of a text, as two hashes of each. */
interface Phrases {
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
}

const NONE: readonly number[] = [];

/** The number of an unknown term. */
export const NO_TERM = -1;

/** Slots for each term, of which most stay empty, so that few terms want the same. */
const SLOTS_PER_TERM = 4;
const FIRST_SLOTS = 64;
/** Spreads hashes that are like each other; its low bits are the least spread. */
const MIXER = 0x9e3779b1;
const MIXED_BITS = 8;

const MIN_NAME = 5;
const MAX_NAME = 260;
const MIN_MIXED_NAME = 7;
const MIN_CAMEL_NAME = 6;

/** Classes of characters as bits. Words and names consist of the first four, names also of the others. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;

/** Of words in ASCII. */
const ASCII_WORD = LOWER | UPPER | DIGIT | UNDERSCORE;

/** Part of names only; makes a name of any word. */
const DOT = 16;
const SLASH = 32;
/** Part of names only. */
const LINK = 64;

const IN_NAME = ASCII_WORD | DOT | SLASH | LINK;
/** Each name contains at least one of these. */
const TELLING = IN_NAME & ~(LOWER | LINK);

/** Words in a row that hardly occur twice by chance. */
const PHRASE_WORDS = 8;
/** Least number of different words; a line of dashes or zeros identifies nothing. */
const MIN_DIFFERENT_WORDS = 5;

/** Of any other script, and no part of names. */
const LETTER = 128;

const WORD = ASCII_WORD | LETTER;

/** Multiplies the first of the two hashes of a term at each piece. */
const PRIME = FNV.prime;

/** The factor of a word when it leaves the rolling window. */
const WEIGHT = power(PRIME, PHRASE_WORDS);

/** Multiplies the second hash of a term at each piece. */
const OTHER_PRIME = 0x5bd1e995;

const OTHER_WEIGHT = power(OTHER_PRIME, PHRASE_WORDS);

/** A word by itself. */
const IDEOGRAPH = 256;

const CODES = 0x10000;
const LAST_CONTROL = 0xa0;
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7a3;
const KINDS = kindsOfAll();

/** Where hashes of terms start; an integer of 32 bits like every hash, for a loop is slow where some are not. */
const SEED = FNV.start | 0;

/**
 * Numbers what could give away where a text comes from: phrases of eight words, and names: paths, identifiers,
 * hashes, long numbers. Takes time by length only.
 */
export function addTerms(text: string, table: TermTable, sink: TermSink): void {
  const codes = codesOf(text);
  const words = wordsIn(codes);
  const { firsts, seconds } = phrasesOf(words);
  for (let start = 0; start < firsts.length; start += 1) {
    const [first, second] = [firsts[start] ?? 0, seconds[start] ?? 0];
    const known = table.find(first, second);
    if (known !== NO_TERM) sink(known);
    else if (isVaried(words, start)) sink(table.add(first, second));
  }
  scanNames(codes, (first, second) => sink(table.add(first, second)));
}

/** Finds the terms of a text that have numbers. */
export function findTerms(text: string, table: TermTable, sink: TermSink): void {
  const codes = codesOf(text);
  const find = (first: number, second: number) => {
    const term = table.find(first, second);
    if (term !== NO_TERM) sink(term);
  };
  const { firsts, seconds } = phrasesOf(wordsIn(codes));
  for (let start = 0; start < firsts.length; start += 1) {
    find(firsts[start] ?? 0, seconds[start] ?? 0);
  }
  scanNames(codes, find);
}

/** Looks for terms in what the steps of a session write. */
export function findWritten(messages: readonly Message[]): WrittenTerms {
  const table = createTermTable();
  const byPart = new Map<Part, readonly number[]>();
  for (const { role, parts } of messages) {
    if (role === 'assistant') for (const part of parts) byPart.set(part, termsOf(part, table));
  }
  return {
    saidIn: (part) => byPart.get(part) ?? NONE,
    findIn: (text, sink) => {
      if (table.size > 0) findTerms(text, table, sink);
    },
  };
}

/** Terms, of which there are none yet. */
export function createTermTable(): TermTable {
  const firsts: number[] = [];
  const seconds: number[] = [];
  let slots = new Int32Array(FIRST_SLOTS).fill(NO_TERM);

  /** The slot of a term, or the empty one that it belongs in. */
  const slotOf = (first: number, second: number) => {
    const last = slots.length - 1;
    let slot = (Math.imul(first ^ second, MIXER) >>> MIXED_BITS) & last;
    for (;;) {
      const term = slots[slot] ?? NO_TERM;
      if (term === NO_TERM || (firsts[term] === first && seconds[term] === second)) return slot;
      slot = (slot + 1) & last;
    }
  };
  const grow = () => {
    slots = new Int32Array(slots.length * 2).fill(NO_TERM);
    for (const [term, first] of firsts.entries()) slots[slotOf(first, seconds[term] ?? 0)] = term;
  };
  return {
    get size() {
      return firsts.length;
    },
    add: (first, second) => {
      const slot = slotOf(first, second);
      const known = slots[slot] ?? NO_TERM;
      if (known !== NO_TERM) return known;
      const term = firsts.length;
      slots[slot] = term;
      firsts.push(first);
      seconds.push(second);
      if (firsts.length * SLOTS_PER_TERM > slots.length) grow();
      return term;
    },
    find: (first, second) => slots[slotOf(first, second)] ?? NO_TERM,
  };
}

/** The codes of a text's characters, which are faster to go through than the text, and a 0 that ends its last word. */
function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length + 1);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
}

/** Hashes of the words of a text, in their order. */
function wordsIn(codes: Uint16Array): Int32Array {
  const words = new Int32Array(codes.length);
  let count = 0;
  let word = SEED;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    const kind = kindOf(code);
    if ((kind & WORD) !== 0) {
      word = Math.imul(word ^ code, PRIME);
      continue;
    }
    if (word !== SEED) words[count++] = word;
    if (kind === IDEOGRAPH) words[count++] = Math.imul(SEED ^ code, PRIME);
    word = SEED;
  }
  return words.subarray(0, count);
}

/** The class of a character by its code; 0 for separators. */
function kindOf(code: number): number {
  return KINDS[code] ?? 0;
}

/** The rows of words that start at each word but the last ones; each is made of the one before. */
function phrasesOf(words: Int32Array): Phrases {
  const count = Math.max(0, words.length - PHRASE_WORDS + 1);
  const phrases = { firsts: new Int32Array(count), seconds: new Int32Array(count) };
  let [first, second] = [0, 0];
  for (let index = 0; index < words.length; index += 1) {
    const start = index - PHRASE_WORDS + 1;
    const [came, gone] = [words[index] ?? 0, start > 0 ? (words[start - 1] ?? 0) : 0];
    first = (Math.imul(first, PRIME) + came - Math.imul(gone, WEIGHT)) | 0;
    second =
      (Math.imul(second, OTHER_PRIME) + mixed(came) - Math.imul(mixed(gone), OTHER_WEIGHT)) | 0;
    if (start < 0) continue;
    phrases.firsts[start] = first;
    phrases.seconds[start] = second;
  }
  return phrases;
}

/** Bits of a word in another order, so that the two hashes collide on different words. */
function mixed(word: number): number {
  return word ^ (word >>> 15);
}

/** Tests if a row of words has several different ones; a row of equal words identifies nothing. */
function isVaried(words: Int32Array, start: number): boolean {
  let different = 0;
  for (let index = start; index < start + PHRASE_WORDS; index += 1) {
    if (isFirst(words, start, index)) different += 1;
  }
  return different >= MIN_DIFFERENT_WORDS;
}

function isFirst(words: Int32Array, start: number, at: number): boolean {
  for (let index = start; index < at; index += 1) if (words[index] === words[at]) return false;
  return true;
}

/** Finds names: paths, identifiers of several words, hashes, ids and long numbers; no plain words. */
function scanNames(codes: Uint16Array, sink: NameSink): void {
  let start = 0;
  let kinds = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const kind = kindOf(codes[index] ?? 0) & IN_NAME;
    kinds |= kind;
    if (kind !== 0) continue;
    if ((kinds & TELLING) !== 0) addName(codes, trimmed(codes, start, index), sink);
    kinds = 0;
    start = index + 1;
  }
}

function addName(
  codes: Uint16Array,
  [start, end]: readonly [number, number],
  sink: NameSink,
): void {
  if (end - start < MIN_NAME || end - start > MAX_NAME) return;
  if (!isName(featuresOf(codes, start, end), end - start)) return;
  let [first, second] = [SEED, OTHER_PRIME];
  for (let index = start; index < end; index += 1) {
    const code = codes[index] ?? 0;
    first = Math.imul(first ^ code, PRIME);
    second = (Math.imul(second ^ code, OTHER_PRIME) + index - start) | 0;
  }
  sink(first, second);
}

/** A path, an identifier of several words, a hash, an id or a long number; no plain word. */
function isName({ kinds, slashes, hasHump }: Features, length: number): boolean {
  if (kinds === DIGIT || (kinds & (UNDERSCORE | DOT)) !== 0) return true;
  const hasDigit = (kinds & DIGIT) !== 0;
  if (slashes > 0) return hasDigit || slashes > 1;
  if (hasDigit) return length >= MIN_MIXED_NAME;
  return hasHump && length >= MIN_CAMEL_NAME;
}

function featuresOf(codes: Uint16Array, start: number, end: number): Features {
  const features = { kinds: 0, slashes: 0, hasHump: false };
  let before = 0;
  for (let index = start; index < end; index += 1) {
    const kind = kindOf(codes[index] ?? 0);
    features.kinds |= kind;
    if (kind === SLASH) features.slashes += 1;
    if (kind === UPPER && before === LOWER) features.hasHump = true;
    before = kind;
  }
  return features;
}

function trimmed(
  codes: Uint16Array,
  from: number,
  to: number,
): readonly [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && !isWordAt(codes, start)) start += 1;
  while (end > start && !isWordAt(codes, end - 1)) end -= 1;
  return [start, end];
}

function isWordAt(codes: Uint16Array, index: number): boolean {
  return (kindOf(codes[index] ?? 0) & ASCII_WORD) !== 0;
}

function termsOf(part: Part, table: TermTable): readonly number[] {
  const terms = new Set<number>();
  for (const text of saidTexts(part)) addTerms(text, table, (term) => terms.add(term));
  return terms.size === 0 ? NONE : [...terms];
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}

function kindsOfAll(): Uint16Array {
  const kinds = new Uint16Array(CODES);
  const set = (characters: string, kind: number) => {
    for (const character of characters) kinds[character.charCodeAt(0)] = kind;
  };
  kinds.fill(LETTER, LAST_CONTROL + 1);
  kinds.fill(IDEOGRAPH, FIRST_IDEOGRAPH, LAST_IDEOGRAPH + 1);
  set('abcdefghijklmnopqrstuvwxyz', LOWER);
  set('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
  set('0123456789', DIGIT);
  set('_', UNDERSCORE);
  set('.\\', DOT);
  set('/', SLASH);
  set('~$-', LINK);
  return kinds;
}
