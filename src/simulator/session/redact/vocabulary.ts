import { addToGroup, keepIn } from '../../lib/collections.ts';
import { readVocabulary } from '../../tokens/encodings.ts';
import { loadTokenizer } from '../../tokens/tokenizer.ts';
import { type Characters, createCharacters } from './characters.ts';

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
