/** Filler of an exact number of tokens that has as many characters as some other text of that many tokens. */

import { buildFiller, continueFiller, FILLER_CHARACTERS } from './filler.ts';

/** How large filler is. */
export interface FillerSize {
  readonly tokens: number;
  /** Four a token where absent; no less than one, and no more than the longest words have. */
  readonly characters?: number | undefined;
}

/** Words by their length from one letter on, each one token in the common tokenizers, behind a space as well. */
export const SIZED_WORDS: readonly (readonly string[])[] = [
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'go up we an on so it',
  'sun sea map ice art box car day oil air law sky war',
  'city road book lake wind gold rock team card fire moon',
  'water river stone world light paper house music table green plant',
  'summer winter forest bridge silver market letter planet window engine camera animal',
  'station product chapter weather network pattern science library example picture surface',
  'building language material children document software industry hospital computer database',
  'structure equipment knowledge community beautiful operation statement education important',
  'generation foundation technology management government experience department conference',
  'temperature environment information development performance application institution',
  'professional organization construction distribution relationship',
].map((words) => words.split(' '));
const LONGEST_WORD = SIZED_WORDS.length;
const LONGEST_TOKEN = LONGEST_WORD + 1;
const DIGITS = '0123456789'.split('');
const LETTERS = SIZED_WORDS[0] ?? [];

/** The words of a text come again after so many, and tell its number in digits of that base. */
const CYCLE = 8;
const BASE = 5;

/** Text without meaning of that size, another one for each number where it is not too short for that. */
export function buildSized(size: FillerSize, number: number): string {
  const { tokens } = size;
  if (tokens <= 0) return '';
  if (isUsual(size)) return buildFiller(tokens, number);
  const characters = charactersOf(size);
  const length = clamp(Math.floor(characters / tokens), 1, LONGEST_WORD);
  const first = pick(SIZED_WORDS[length - 1] ?? [], number, 0);
  return `${first}${continueWords(tokens - 1, characters - length, number)}`;
}

/** Text of that size for the end of another one. */
export function continueSized(size: FillerSize, number: number): string {
  const { tokens } = size;
  if (isUsual(size)) return continueFiller(tokens, number);
  return continueWords(tokens, charactersOf(size), number);
}

/** Characters that filler of a size takes at most. */
export function charactersOf({ tokens, characters }: FillerSize): number {
  return Math.max(tokens, characters ?? FILLER_CHARACTERS * tokens);
}

function isUsual({ tokens, characters }: FillerSize): boolean {
  return characters === undefined || characters === FILLER_CHARACTERS * tokens;
}

/** Tokens of two neighbouring lengths, so that the whole has that many characters. */
function continueWords(tokens: number, characters: number, number: number): string {
  if (tokens <= 0) return '';
  const length = clamp(Math.floor(characters / tokens), 1, LONGEST_TOKEN);
  const longer = length === LONGEST_TOKEN ? 0 : clamp(characters - length * tokens, 0, tokens);
  return `${repeatWords(length, tokens - longer, number)}${repeatWords(length + 1, longer, number)}`;
}

function repeatWords(length: number, tokens: number, number: number): string {
  const cycle = Array.from({ length: CYCLE }, (_, index) => tokenAt(length, number, index));
  return cycle
    .join('')
    .repeat(Math.ceil(tokens / CYCLE))
    .slice(0, length * tokens);
}

/** A space and a word, or where there is no room for both, digits and letters in turn, which no tokenizer joins. */
function tokenAt(length: number, number: number, index: number): string {
  if (length > 1) return ` ${pick(SIZED_WORDS[length - 2] ?? [], number, index)}`;
  return pick(index % 2 === 0 ? DIGITS : LETTERS, number, index);
}

function pick(words: readonly string[], number: number, index: number): string {
  const digit = Math.floor(number / BASE ** index) % BASE;
  return words[(digit + index) % words.length] ?? '';
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
