import { perKey, addToGroup, sum } from '../../lib/collections.ts';
import type { Classes } from './character-class.ts';

/** A piece of text to be replaced by one of the same weight. */
export interface Weighed {
  readonly shape: string;
  /** Tokens of the piece on its own. */
  readonly tokens: number;
  /** Words that are one token in the same places, nearest first. */
  readonly alike: readonly (readonly string[])[];
}

/** Pools of words with the same weight as others. */
export interface WordPools {
  weigh(piece: string): Weighed;
  /** A random similar word; absent if none is found. */
  draw(piece: Weighed, options: DrawOptions): string | undefined;
  /** True if two words are one token each behind a character, false if only one of them is; `undefined` if neither is. */
  areTokens(one: string, other: string, prefix: string): boolean | undefined;
  /** A random text of a shape with about as many tokens, composed of single-token words. */
  compose(piece: Pick<Weighed, 'shape' | 'tokens'>, random: () => number): string;
}

/** Options for drawing a word. */
interface DrawOptions {
  readonly random: () => number;
  /** Accepts a word for this use. */
  readonly isUsable: (word: string) => boolean;
  /** Minimum number of words to choose from, nearest first. */
  readonly choices: number;
}

interface WordPoolsOptions {
  readonly tokens: ReadonlySet<string>;
  readonly count: (text: string) => number;
  readonly classes: Classes;
  /** Excludes words that filler must never contain. */
  readonly isSpent: Predicate;
}

type Predicate = (word: string) => boolean;

/** Words of one shape. */
interface Pool {
  /** By a bit mask of the characters that may precede them within a token. */
  readonly byKind: ReadonlyMap<number, readonly string[]>;
  /** Words that are one token on their own. */
  readonly single: readonly string[];
  /** Lists for a kind, nearest first, filled on demand. */
  readonly nearest: Map<number, readonly (readonly string[])[]>;
}

/** The most frequent characters before words; a difference in the first ones counts most. */
const PREFIXES = [' ', '', '.', '_', '/', '\t', '(', '-'];
/** The bit of words that are a token without a prefix. */
const ALONE = 1 << PREFIXES.indexOf('');
/** A token that is a word with at most one character before it. */
const WORD = /^[^\p{L}\p{N}]?(\p{L}[\p{L}\p{M}]*)$/u;
/** Phrases in scripts without spaces, which are no innocent words. */
const UNSPACED_PHRASE =
  /\p{Script=Han}{3}|\p{Script=Hangul}{3}|\p{Script=Thai}{5}|[\p{Script=Hiragana}\p{Script=Katakana}]{6}/u;
/** Longest piece that is looked up; no token is longer. */
const LONGEST_PIECE = 12;
const NEAREST_LISTS = 12;
/** Draws from one list before the next is tried. */
const MOST_DRAWS = 48;

const kindsOf = perKey(findKinds);

const shapesOf = perKey((classes: Classes) =>
  perKey((kinds: ReadonlyMap<string, number>) => groupByShape(kinds.keys(), classes)),
);

/** Groups the words among the tokens by shape. */
export function createWordPools(options: WordPoolsOptions): WordPools {
  const { tokens, count, classes, isSpent } = options;
  const kinds = kindsOf(tokens);
  const wordsByShape = shapesOf(classes)(kinds);
  const pools = new Map<string, Pool>();
  const poolOf = (shape: string): Pool => {
    const known = pools.get(shape);
    if (known !== undefined) return known;
    const pool = createPool(wordsByShape.get(shape) ?? [], kinds);
    pools.set(shape, pool);
    return pool;
  };
  const drawFrom = createDraw(isSpent);

  return {
    weigh: (piece) => {
      const shape = classes.shapeOf(piece);
      const kind = kinds.get(piece) ?? 0;
      return { shape, tokens: count(piece), alike: kind === 0 ? [] : nearest(poolOf(shape), kind) };
    },
    draw: ({ alike }, drawing) => {
      for (const list of alike.slice(firstList(alike, drawing))) {
        const word = drawFrom(list, drawing);
        if (word !== undefined) return word;
      }
      return undefined;
    },
    areTokens: (one, other, prefix) => {
      const bit = PREFIXES.indexOf(prefix);
      if (bit < 0) return undefined;
      const [own, others] = [kinds.get(one) ?? 0, kinds.get(other) ?? 0].map(
        (kind) => (kind >> bit) & 1,
      );
      if (own === others) return own === 1 ? true : undefined;
      return false;
    },
    compose: (piece, random) =>
      splitShape(piece, random)
        .map(
          (shape) =>
            drawFrom(poolOf(shape).single, { random, isUsable: isAny }) ??
            classes.fill(shape, random),
        )
        .join(''),
  };
}

function createDraw(isSpent: Predicate) {
  return (
    list: readonly string[],
    { random, isUsable }: Pick<DrawOptions, 'random' | 'isUsable'>,
  ): string | undefined => {
    for (let draws = 0; draws < MOST_DRAWS && list.length > 0; draws++) {
      const word = list[Math.floor(random() * list.length)] ?? '';
      if (isUsable(word) && !isSpent(word)) return word;
    }
    return undefined;
  };
}

function isAny(): boolean {
  return true;
}

function findKinds(tokens: ReadonlySet<string>): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>();
  for (const token of tokens) {
    const word = WORD.exec(token)?.[1];
    if (word === undefined) continue;
    const bit = PREFIXES.indexOf(token.slice(0, token.length - word.length));
    kinds.set(word, (kinds.get(word) ?? 0) | (bit < 0 ? 0 : 1 << bit));
  }
  return kinds;
}

function groupByShape(
  words: Iterable<string>,
  classes: Classes,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    if (!UNSPACED_PHRASE.test(word)) addToGroup(groups, classes.shapeOf(word), word);
  }
  return groups;
}

function createPool(words: readonly string[], kinds: ReadonlyMap<string, number>): Pool {
  const byKind = new Map<number, string[]>();
  for (const word of words) addToGroup(byKind, kinds.get(word) ?? 0, word);
  const single = words.filter((word) => ((kinds.get(word) ?? 0) & ALONE) !== 0);
  return { byKind, single, nearest: new Map() };
}

function firstList(
  alike: readonly (readonly string[])[],
  { choices, random }: DrawOptions,
): number {
  let left = random() * Math.min(choices, sum(alike.map(({ length }) => length)));
  return Math.max(
    0,
    alike.findIndex((list) => {
      left -= list.length;
      return left < 0;
    }),
  );
}

function nearest({ byKind, nearest: known }: Pool, kind: number): readonly (readonly string[])[] {
  const found = known.get(kind);
  if (found !== undefined) return found;
  const lists = [...byKind]
    .toSorted(([left], [right]) => distance(left, kind) - distance(right, kind))
    .slice(0, NEAREST_LISTS)
    .map(([, list]) => list);
  known.set(kind, lists);
  return lists;
}

function distance(left: number, right: number): number {
  return PREFIXES.reduce((sum, _, bit) => {
    const isSame = ((left >> bit) & 1) === ((right >> bit) & 1);
    return isSame ? sum : sum + (PREFIXES.length - bit) ** 2;
  }, 0);
}

/** Cuts a shape into as many pieces as tokens, or more if pieces would be too long. */
function splitShape(
  { shape, tokens }: Pick<Weighed, 'shape' | 'tokens'>,
  random: () => number,
): readonly string[] {
  const pieces: string[] = [];
  let rest = shape;
  let left = Math.max(tokens, Math.ceil(shape.length / LONGEST_PIECE));
  while (rest.length > 0) {
    const longest = Math.max(1, Math.min(LONGEST_PIECE, rest.length - left + 1));
    const share = Math.round((rest.length / Math.max(1, left)) * (0.5 + random()));
    const length = left <= 1 ? longest : Math.max(1, Math.min(longest, share));
    pieces.push(rest.slice(0, length));
    rest = rest.slice(length);
    left = Math.max(1, left - 1);
  }
  return pieces;
}
