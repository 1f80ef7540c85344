import { ASCII_WORD, IDEOGRAPH, kindOf, LETTER } from './characters.ts';
import type { TermSink } from './term-table.ts';

/** The last words of a text, and two hashes of them that follow as words come and go. */
interface RecentWords {
  readonly words: Int32Array;
  count: number;
  first: number;
  second: number;
}

/** Words in a row that hardly occur twice by chance. */
const PHRASE_WORDS = 8;
/** Different ones among them; a line of dashes or zeros tells nothing. */
const MIN_DIFFERENT_WORDS = 5;

const WORD = ASCII_WORD | LETTER;
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
const OTHER_PRIME = 0x5bd1e995;
/** What the oldest word was multiplied by since it came. */
const WEIGHT = power(PRIME, PHRASE_WORDS);
const OTHER_WEIGHT = power(OTHER_PRIME, PHRASE_WORDS);

/** Finds phrases: words in a row of which several are different. */
export function scanPhrases(text: string, sink: TermSink): void {
  const recent: RecentWords = { words: new Int32Array(PHRASE_WORDS), count: 0, first: 0, second: 0 };
  let word = SEED;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const kind = kindOf(code);
    if ((kind & WORD) !== 0) {
      word = Math.imul(word ^ code, PRIME);
      continue;
    }
    if (word !== SEED) addWord(recent, word, sink);
    if (kind === IDEOGRAPH) addWord(recent, Math.imul(SEED ^ code, PRIME), sink);
    word = SEED;
  }
  if (word !== SEED) addWord(recent, word, sink);
}

function addWord(recent: RecentWords, word: number, sink: TermSink): void {
  const { words } = recent;
  const place = recent.count % PHRASE_WORDS;
  const oldest = words[place] ?? 0;
  words[place] = word;
  recent.count += 1;
  recent.first = (Math.imul(recent.first + word, PRIME) - Math.imul(oldest, WEIGHT)) | 0;
  recent.second =
    (Math.imul(recent.second + mixed(word), OTHER_PRIME) - Math.imul(mixed(oldest), OTHER_WEIGHT)) |
    0;
  if (recent.count >= PHRASE_WORDS && isVaried(words)) sink(recent.first, recent.second);
}

/** Bits of a word in another order, so that one of the hashes tells what the other confuses. */
function mixed(word: number): number {
  return word ^ (word >>> 15);
}

function isVaried(words: Int32Array): boolean {
  let different = 0;
  for (let at = 0; at < PHRASE_WORDS && different < MIN_DIFFERENT_WORDS; at += 1) {
    if (isFirst(words, at)) different += 1;
  }
  return different === MIN_DIFFERENT_WORDS;
}

function isFirst(words: Int32Array, at: number): boolean {
  for (let index = 0; index < at; index += 1) if (words[index] === words[at]) return false;
  return true;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}
