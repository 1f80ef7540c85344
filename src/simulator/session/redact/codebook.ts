import { perKey, sum } from '../../lib/collections.ts';
import { createRandom } from '../../env.ts';
import { copyOf } from '../../lib/text.ts';
import { createClasses } from './character-class.ts';
import type { KeyedHash } from './cipher.ts';
import { createFillers } from './fillers.ts';
import type { Drawing } from './treatment.ts';
import { createWeighing, type Prefixes, segmentsOf } from './units.ts';

/** A common word at one of its places. */
interface DrawnWord {
  readonly unit: string;
  readonly drawing: Drawing;
  /** The character that is counted before it. */
  readonly prefix: string;
}

/** The units of a session. */
export interface LearntUnits {
  /** Units with one replacement, by the characters before them. */
  readonly units: ReadonlyMap<string, Prefixes>;
  /** Common words that are drawn, at each of their places. */
  readonly drawn: readonly DrawnWord[];
}

/** Replacements of units. */
export interface Codebook {
  /** Excludes words from use as filler, because they may be kept somewhere. */
  reserve(units: Iterable<string>): void;
  /** Chooses replacements for the units of a session, with the same total weight, and keeps its words out of all filler. */
  learn(units: LearntUnits): void;
  /** The one replacement of a unit, which no other unit has; an unknown unit is learnt on its own. */
  replacementOf(unit: string): string;
  /** True for a word of the tokenizer's that is too short and plain to identify anything. */
  isCommon(unit: string): boolean;
  /** A replacement of a common word that is the same under the same key. */
  draw(unit: string, drawing: Drawing): string;
}

interface CodebookOptions {
  readonly vocabulary: readonly string[];
  readonly count: (text: string) => number;
  readonly hash: KeyedHash;
}

/** Words of the sessions, which filler must not contain. */
interface OwnWords {
  add(unit: string): void;
  /** Looks for own words in a text, in any case: the whole text, or a rare word inside it. */
  areIn(text: string): boolean;
}

const ALONE: Prefixes = new Map([['', 1]]);

/** Shared by all redactors with the same vocabulary. */
const languageOf = perKey((vocabulary: readonly string[]) => ({
  tokens: new Set(vocabulary),
  classes: createClasses(),
}));

/** Shorter words occur in most texts. */
const SHORTEST = 4;
/** Shorter words occur inside others by chance. */
const SHORTEST_INSIDE = 6;
/** Longer words are recognized by their beginning. */
const LONGEST = 16;
/** Longer words identify things. */
const LONGEST_COMMON = 13;

/** Creates an empty codebook; replacements depend on the hash's key and on earlier units. */
export function createCodebook({ vocabulary, hash, ...options }: CodebookOptions): Codebook {
  const { tokens, classes } = languageOf(vocabulary);
  const count = (text: string): number => (tokens.has(text) ? 1 : options.count(text));
  const ownWords = createOwnWords((word) => tokens.has(word) || tokens.has(` ${word}`));
  const taken = new Set<string>();
  const reserved = new Set<string>();
  const known = new Map<string, string>();
  const isSpent = (filler: string): boolean => ownWords.areIn(filler);
  const fillers = createFillers({ tokens, count, classes, taken, isSpent });

  const settle = (unit: string, filler: string): string => {
    taken.add(filler);
    // A copy as the key, because a piece of a text keeps the whole text in memory.
    known.set(copyOf(unit), filler);
    return filler;
  };
  const offBy = (unit: string, prefixes: Prefixes): number => {
    const filler = known.get(unit);
    return filler === undefined ? 0 : createWeighing(unit, prefixes, count).errorOf(filler);
  };
  const randomFor = (unit: string) => createRandom(hash(`unit ${unit}`));
  const findAlone = (unit: string): string =>
    fillers.find(unit, { prefixes: ALONE, tokensOff: 0, random: randomFor(unit) }).text;
  const replacementOf = (unit: string): string => known.get(unit) ?? settle(unit, findAlone(unit));
  const draw = (unit: string, { key, prefixes }: Drawing): string => {
    const random = createRandom(hash(`word ${unit} ${key}`));
    return fillers.draw(unit, { prefixes, random, reserved }) ?? replacementOf(unit);
  };
  const errorOfDrawn = ({ unit, drawing, prefix }: DrawnWord): number =>
    drawing.prefixes.includes(prefix)
      ? 0
      : fillers.count(prefix + draw(unit, drawing)) - fillers.count(prefix + unit);

  return {
    reserve: (units) => {
      for (const unit of units) {
        taken.add(unit);
        reserved.add(unit);
      }
    },
    learn: ({ units, drawn }) => {
      for (const unit of units.keys()) ownWords.add(unit);
      for (const unit of new Set(drawn.map((word) => word.unit))) ownWords.add(unit);
      let tokensOff = sum(drawn.map(errorOfDrawn));
      for (const [unit, prefixes] of units) tokensOff += offBy(unit, prefixes);
      for (const [unit, prefixes] of byFrequency(units)) {
        if (known.has(unit)) continue;
        const filler = fillers.find(unit, { prefixes, tokensOff, random: randomFor(unit) });
        tokensOff += filler.tokensOff;
        settle(unit, filler.text);
      }
    },
    replacementOf,
    isCommon: (unit) => unit.length <= LONGEST_COMMON && fillers.isWord(unit),
    draw,
  };
}

/** Creates an empty set of words; common ones may occur inside longer words. */
function createOwnWords(isCommon: (word: string) => boolean): OwnWords {
  const words = new Set<string>();
  const rareWords = new Set<string>();
  const beginnings = new Set<string>();
  const addWord = (word: string): void => {
    if (word.length >= SHORTEST && !words.has(word)) words.add(copyOf(word));
  };
  const addRare = (word: string): void => {
    if (word.length < SHORTEST_INSIDE) return;
    rareWords.add(copyOf(word.slice(0, LONGEST)));
    beginnings.add(copyOf(word.slice(0, SHORTEST_INSIDE)));
  };
  const startsAt = (text: string, start: number): boolean => {
    if (!beginnings.has(text.slice(start, start + SHORTEST_INSIDE))) return false;
    const last = Math.min(LONGEST, text.length - start);
    for (let length = SHORTEST_INSIDE; length <= last; length++) {
      if (rareWords.has(text.slice(start, start + length))) return true;
    }
    return false;
  };

  return {
    add: (unit) => {
      const lower = unit.toLowerCase();
      addWord(lower);
      if (!isCommon(unit) && !isCommon(lower)) addRare(lower);
      const segments = segmentsOf(unit);
      if (segments.length > 1) for (const segment of segments) addWord(segment.toLowerCase());
    },
    areIn: (text) => {
      const lower = text.toLowerCase();
      if (words.has(lower)) return true;
      for (let start = 0; start + SHORTEST_INSIDE <= lower.length; start++) {
        if (startsAt(lower, start)) return true;
      }
      return false;
    },
  };
}

/** The most frequent units choose first, so that they weigh exactly the same; the others compensate. */
function byFrequency(
  units: ReadonlyMap<string, Prefixes>,
): readonly (readonly [unit: string, prefixes: Prefixes])[] {
  return Array.from(units, ([unit, prefixes]) => ({
    entry: [unit, prefixes] as const,
    times: sum([...prefixes.values()]),
  }))
    .toSorted((left, right) => right.times - left.times)
    .map(({ entry }) => entry);
}
