import { addToGroup, keepIn } from '../../lib/collections.ts';
import { readVocabulary } from '../../tokens/encodings.ts';
import { loadTokenizer } from '../../tokens/tokenizer.ts';
import { type Characters } from './characters.ts';

/** Words of a tokenizer, from which filler is made that weighs nearly what it replaces. */
export interface Vocabulary {
  readonly characters: Characters;
  /** True for a word that is a token and too short to identify anything. */
  isCommon(word: string): boolean;
  /** Words of the same shape that are a token where it is one: behind any of these characters, or behind most. */
  wordsLike(word: string, prefixes?: readonly string[]): readonly string[];
  /** A text of the same shape, and nearly as many tokens. */
  readonly compose: (text: string, random: () => number) => string;
}

interface Word {
  readonly word: string;
  /** A bit for each of the prefixes with which it is one token. */
  readonly kind: number;
}

/** Scripts that share blocks, or span several. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0410, 0x042f], // Cyrillic capitals
  [0x0430, 0x044f], // Cyrillic small letters
  [0x24b6, 0x24cf], // capitals in circles
  [0x24d0, 0x24e9], // small letters in circles
  [0x3041, 0x3096], // Hiragana
  [0x30a1, 0x30fa], // Katakana
  [0x4e00, 0x9fa5], // ideographs
  [0xac00, 0xd7a3], // Hangul
  [0x1f1e6, 0x1f1ff], // letters of flags
];

const BLOCK_SIZE = 128;

const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No So Cf Co Cs Cn'
  .split(' ')
  .map((name) => new RegExp(`^\\p{${name}}$`, 'u'));

/** Joiners and selectors, which change the drawing of their neighbours. */
const STAYS = /^(?:\u200d|\ufe0e|\ufe0f)$/;

/** Whose words and counts the filler has too. */
const TOKENIZER = 'o200k_base';
/** Characters that join a word in one token, the most frequent ones first. */
const PREFIXES = [...Array.from(' ._/\t(-"\'`$:=<[{,@#*>\\'), ''];
/** Prefixes behind which a word and its filler are to be tokens alike: as many as leave enough words. */
const NARROWER = ['._/\t(-"', './\t(', '/\t', '/'].map((few) => ['', ' ', ...Array.from(few)]);
const ALONE = bitsOf(['']);
/** A token that is a word with at most one character before it. */
const WORD_TOKEN = /^[^\p{L}\p{N}]?(\p{L}[\p{L}\p{M}]*)$/u;
/** Phrases in scripts without spaces, which are no innocent words. */
const PHRASE =
  /\p{Script=Han}{3}|\p{Script=Hangul}{3}|\p{Script=Thai}{5}|[\p{Script=Hiragana}\p{Script=Katakana}]{6}/u;
/** Pieces that a tokenizer separates: digits, words of `camelCase`, and runs of one script. */
const SEGMENT =
  /\p{N}+|[\p{Lu}\p{Lt}]*[\p{Ll}\p{M}]+|[\p{Lu}\p{Lt}]+|\p{Script=Han}+|[\p{Lo}\p{Lm}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu;
/** Longer words identify things. */
const LONGEST_COMMON = 13;
/** Longer pieces are no words, and are filled in part. */
const PIECE = /.{1,16}/gsu;
/** Fewer words to choose from give a word away; then those with other prefixes are taken. */
const FEWEST_WORDS = 24;

/** Groups the words among a tokenizer's tokens by shape. */
export async function loadVocabulary(): Promise<Vocabulary> {
  const { count } = await loadTokenizer(TOKENIZER);
  const characters = createCharacters();
  const kinds = new Map<string, number>();
  for (const token of readVocabulary(TOKENIZER)) {
    const word = WORD_TOKEN.exec(token)?.[1];
    if (word === undefined) continue;
    const prefix = token.slice(0, token.length - word.length);
    kinds.set(word, (kinds.get(word) ?? 0) | bitsOf([prefix]));
  }
  const byShape = new Map<string, Word[]>();
  for (const [word, kind] of kinds) {
    if (!PHRASE.test(word)) addToGroup(byShape, characters.shapeOf(word), { word, kind });
  }
  const lists = new Map<string, readonly string[]>();
  const listOf = (shape: string, kind: number, bits: number) =>
    keepIn(lists, `${shape} ${kind & bits} ${bits}`, () =>
      (byShape.get(shape) ?? [])
        .filter((other) => (other.kind & bits) === (kind & bits))
        .map(({ word }) => word),
    );
  const wordsLike = (word: string, prefixes: readonly string[] = PREFIXES): readonly string[] => {
    const kind = kinds.get(word);
    if (kind === undefined) return [];
    const shape = characters.shapeOf(word);
    const bits = [prefixes, ...NARROWER, ['', ' '], ['']]
      .map(bitsOf)
      .find((bits) => listOf(shape, kind, bits).length >= FEWEST_WORDS);
    return listOf(shape, kind, bits ?? 0);
  };
  /** As many words as the piece has tokens. */
  const composePiece = (piece: string, random: () => number): string => {
    const word = drawn(wordsLike(piece), random);
    if (word !== undefined && word !== piece) return word;
    return cut(Array.from(piece), count(piece), random)
      .map(
        (part) =>
          drawn(listOf(characters.shapeOf(part), ALONE, ALONE), random) ??
          characters.fill(part, random),
      )
      .join('');
  };

  return {
    characters,
    isCommon: (word) => word.length <= LONGEST_COMMON && kinds.has(word),
    wordsLike,
    compose: (text, random) =>
      segmentsOf(text)
        .flatMap((segment) => segment.match(PIECE) ?? [])
        .map((piece) => composePiece(piece, random))
        .join(''),
  };
}

/** The parts of a word that a tokenizer separates. */
export function segmentsOf(word: string): readonly string[] {
  return word.match(SEGMENT) ?? [word];
}

/** A random item; `undefined` of none. */
export function drawn(list: readonly string[], random: () => number): string | undefined {
  return list[Math.floor(random() * list.length)];
}

/** Creates kinds of characters, each found where it is first met. */
export function createCharacters(): Characters {
  const byName = new Map<string, readonly string[]>();
  const byCharacter = new Map<string, readonly string[]>();
  const kindOf = (character: string): readonly string[] =>
    keepIn(byCharacter, character, () =>
      keepIn(byName, nameOf(character), () => membersLike(character)),
    );
  return {
    shapeOf: (text) => Array.from(text, (character) => kindOf(character)[0]).join(''),
    fill: (text, random) =>
      Array.from(text, (character) => {
        const kind = kindOf(character);
        return kind[Math.floor(random() * kind.length)];
      }).join(''),
    turn: (character, share) => {
      const kind = kindOf(character);
      const by = 1 + Math.floor(share * (kind.length - 1));
      return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
    },
  };
}

function bitsOf(prefixes: readonly string[]): number {
  return prefixes.reduce((bits, prefix) => {
    const bit = PREFIXES.indexOf(prefix);
    return bit < 0 ? bits : bits | (1 << bit);
  }, 0);
}

function cut(characters: readonly string[], parts: number, random: () => number) {
  const cuts = Array.from({ length: parts - 1 }, (_, index) =>
    Math.round(((index + 0.5 + random()) / parts) * characters.length),
  );
  return [0, ...cuts].map((start, index) => characters.slice(start, cuts[index]).join(''));
}

function nameOf(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (STAYS.test(character)) return character;
  const range = rangeOf(codePoint);
  if (range !== undefined) return `from ${range[0]}`;
  const category = CATEGORIES.findIndex((test) => test.test(character));
  return `${category} ${Math.floor(codePoint / BLOCK_SIZE)}`;
}

function rangeOf(codePoint: number) {
  return RANGES.find(([first, last]) => codePoint >= first && codePoint <= last);
}

function membersLike(character: string): readonly string[] {
  const codePoint = character.codePointAt(0) ?? 0;
  const blockStart = codePoint - (codePoint % BLOCK_SIZE);
  const [first, last] = rangeOf(codePoint) ?? [blockStart, blockStart + BLOCK_SIZE - 1];
  const name = nameOf(character);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  ).filter((other) => nameOf(other) === name);
}
