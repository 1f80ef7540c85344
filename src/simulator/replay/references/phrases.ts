import { ASCII_WORD, IDEOGRAPH, kindOf, LETTER } from './characters.ts';
import { OTHER_PRIME, PRIME, SEED } from './hash.ts';

/** All rows of eight words of a text, as two hashes of each. */
export interface Phrases {
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
}

/** Words in a row that hardly occur twice by chance. */
const PHRASE_WORDS = 8;
/** Different ones among them; a line of dashes or zeros tells nothing. */
const MIN_DIFFERENT_WORDS = 5;

const WORD = ASCII_WORD | LETTER;
/** What a word has been multiplied by when it leaves the row. */
const WEIGHT = power(PRIME, PHRASE_WORDS);
const OTHER_WEIGHT = power(OTHER_PRIME, PHRASE_WORDS);

/** Hashes of the words of a text, in their order. */
export function wordsIn(codes: Uint16Array): Int32Array {
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

/** The rows of words that start at each word but the last ones; each is made of the one before. */
export function phrasesOf(words: Int32Array): Phrases {
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

/** Whether a row of words has several different ones, so that it tells anything. */
export function isVaried(words: Int32Array, start: number): boolean {
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

/** Bits of a word in another order, so that one of the hashes tells what the other confuses. */
function mixed(word: number): number {
  return word ^ (word >>> 15);
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}
