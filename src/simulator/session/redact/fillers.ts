import { keepIn } from '../../lib/collections.ts';
import type { Classes } from './character-class.ts';
import type { Drawing } from './treatment.ts';
import {
  createWeighing,
  isUnspaced,
  LONGEST_WORD,
  type Prefixes,
  segmentsOf,
  type Weighing,
} from './units.ts';
import { createWordPools, type Weighed, type WordPools } from './word-pools.ts';

/** The target of a filler. */
interface Wanted {
  readonly prefixes: Prefixes;
  /** Excess tokens of the fillers so far; negative if they have too few. */
  readonly tokensOff: number;
  readonly random: () => number;
}

/** A replacement for a unit. */
interface Filler {
  readonly text: string;
  /** Excess tokens over all places of the unit; negative if it has too few. */
  readonly tokensOff: number;
}

/** Finds replacements of units. */
interface Fillers {
  /** A text with the shape of a unit and nearly its weight. */
  find(unit: string, wanted: Wanted): Filler;
  /** True for a word that is a token. */
  isWord(unit: string): boolean;
  /** A random word that weighs what another does; `undefined` where there is none. */
  draw(unit: string, options: DrawnOptions): string | undefined;
  /** Tokens of a word with a character before it. */
  count(text: string): number;
}

interface DrawnOptions extends Omit<Drawing, 'key'> {
  readonly random: () => number;
  /** Words that are no filler. */
  readonly reserved: ReadonlySet<string>;
}

interface FillersOptions extends Omit<FillerTools, 'pools'> {
  readonly tokens: ReadonlySet<string>;
}

/** Options for filling the segments of a unit. */
interface Filling {
  readonly lessTokens: number;
  readonly random: () => number;
  readonly choices: number;
}

/** A unit to be filled. */
interface Sought {
  readonly unit: string;
  readonly weighing: Weighing;
  readonly random: () => number;
  /** Excess tokens so far that this filler may compensate. */
  readonly owed: number;
}

/** A text being fitted to the weight of its unit. */
interface Fitting {
  readonly unit: string;
  readonly text: string;
  /** Excess tokens at one place; negative if there are too few. */
  readonly errorOf: (text: string) => number;
  readonly random: () => number;
}

/** A text with its faults. */
interface Judged {
  readonly text: string;
  readonly error: number;
  /** Tokens off target, plus characters that stayed in place. */
  readonly faults: number;
}

interface Replacing {
  readonly shape: readonly string[];
  readonly isTooHeavy: boolean;
  readonly random: () => number;
}

/** Tools for making fillers. */
interface FillerTools {
  readonly pools: WordPools;
  readonly classes: Classes;
  readonly count: (text: string) => number;
  /** Texts that already replace a unit, or never may. */
  readonly taken: ReadonlySet<string>;
  /** Excludes texts that a session contains. */
  readonly isSpent: (text: string) => boolean;
}

/** Makes a filler with the shape of a unit. */
type Fill = (unit: string, tools: FillerTools, random: () => number) => string;

/** A character with its number of repeats. */
interface RepeatedCharacter {
  readonly character: string;
  readonly times: number;
}

const FEWEST_TRIES = 5;
const MOST_TRIES = 32;
/** Additional choices of each try. */
const MORE_CHOICES = 4;

const FEWEST_STEPS = 40;
const STEPS_PER_TOKEN = 8;
const MOST_STEPS = 400;
/** Characters that are replaced at once, at most. */
const LONGEST_PIECE = 5;

const PIECE_TRIES = 3;

/** Shorter runs stay in place by chance. */
const SHORTEST_RUN = 3;

const PIECE_LENGTH = 16;

/** Fills data piece by piece with about the same weight. */
const fillData: Fill = (unit, { pools, classes, count }, random) => {
  const fillPiece = (piece: string): string => {
    const weighed = { shape: classes.shapeOf(piece), tokens: count(piece) };
    let filler = '';
    for (let tries = 0; tries < PIECE_TRIES; tries++) {
      filler = pools.compose(weighed, random);
      if (count(filler) === weighed.tokens && countKept(piece, filler) === 0) break;
    }
    return filler;
  };
  return segmentsOf(unit).flatMap(piecesOf).map(fillPiece).join('');
};

/** Fits a long clause chunk by chunk, each weighed behind the one before. */
const fillClause: Fill = (unit, tools, random) => {
  const { count } = tools;
  const weigh = (before: string, text: string) => count(before + text) - count(before);
  const characters = Array.from(unit);
  let [filled, before, filledBefore] = ['', '', ''];
  for (let start = 0; start < characters.length; start += LONGEST_WORD) {
    const chunk = characters.slice(start, start + LONGEST_WORD).join('');
    const tokens = weigh(before, chunk);
    const behind = filledBefore;
    const errorOf = (text: string) => weigh(behind, text) - tokens;
    const text = fillData(chunk, tools, random);
    filledBefore = fitText({ unit: chunk, text, errorOf, random }, tools);
    before = chunk;
    filled += filledBefore;
  }
  return filled;
};

/** Attempts before a unit with an exhausted shape is kept. */
const MOST_FILLS = 2_000;
/** Repeats that are counted; more weigh about the same and take longer. */
const MOST_WEIGHED_TIMES = 256;
const OTHER_CHARACTERS = 32;

/** Fills a shape without words at random; an exhausted shape keeps its text. */
const fillFreely: Fill = (unit, { classes, taken, isSpent }, random) => {
  const shape = classes.shapeOf(unit);
  let spent: string | undefined;
  for (let fills = 0; fills < MOST_FILLS; fills++) {
    const filler = classes.fill(shape, random);
    if (filler === unit || taken.has(filler)) continue;
    if (!isSpent(filler)) return filler;
    spent ??= filler;
  }
  return spent ?? unit;
};

/** Words to draw from, so that a frequent one is not told by the few that weigh most alike. */
const DRAWN_CHOICES = 1_024;

/** Fewer repeats are filled like a word. */
const FEWEST_TIMES = 8;

/** Creates fillers from the words among a tokenizer's tokens. */
export function createFillers(options: FillersOptions): Fillers {
  const tools: FillerTools = { ...options, pools: createWordPools(options) };
  const weighed = new Map<string, Weighed>();
  const weigh = (unit: string) =>
    weighed.get(unit) ?? keepIn(weighed, unit, () => tools.pools.weigh(unit));
  const counts = new Map<string, number>();
  const count = (text: string) => keepIn(counts, text, () => tools.count(text));
  const weighsSame = (unit: string, word: string, prefix: string) =>
    tools.pools.areTokens(unit, word, prefix) ?? count(prefix + word) === count(prefix + unit);
  return {
    find: (unit, { prefixes, tokensOff, random }) => {
      const weighing = createWeighing(unit, prefixes, tools.count);
      const sought = { unit, weighing, random, owed: tokensOff };
      const text = findText(sought, tools);
      return { text, tokensOff: weighing.errorOf(text) };
    },
    count,
    isWord: (unit) => weigh(unit).alike.length > 0,
    draw: (unit, { prefixes, random, reserved }) => {
      const isUsable = (word: string) =>
        word !== unit &&
        !reserved.has(word) &&
        !keepsPhrase(unit, word) &&
        prefixes.every((prefix) => weighsSame(unit, word, prefix));
      return tools.pools.draw(weigh(unit), { random, isUsable, choices: DRAWN_CHOICES });
    },
  };
}

/** Counts characters that stayed in place in runs; all of them in a short text. */
export function countKept(before: string, after: string): number {
  const shortest = Math.min(SHORTEST_RUN, before.length);
  let kept = 0;
  let run = 0;
  for (let index = 0; index < before.length; index++) {
    run = before.charCodeAt(index) === after.charCodeAt(index) ? run + 1 : 0;
    if (run >= shortest) kept += run === shortest ? run : 1;
  }
  return kept;
}

function findText(sought: Sought, tools: FillerTools): string {
  const { unit, random } = sought;
  const repeated = repeatedCharacterOf(unit);
  if (repeated !== undefined) return fillRepeated(repeated, tools, random);
  if (unit.length > LONGEST_WORD) {
    return (isUnspaced(unit) ? fillClause : fillData)(unit, tools, random);
  }
  const segments = segmentsOf(unit).map((segment) => tools.pools.weigh(segment));
  const isCommon = segments.every(({ alike }) => alike.length > 0);
  // A common word may come back in every session, so that it weighs what it weighs.
  const own = isCommon ? { ...sought, owed: 0 } : sought;
  return fitPhrase(findWord(segments, own, tools), own, tools);
}

/** The character that makes up a whole text; absent if there are several, or it is short. */
function repeatedCharacterOf(text: string): RepeatedCharacter | undefined {
  const [character = ''] = text;
  const times = text.length / character.length;
  // An expression with a back reference fails on megabytes.
  const isRepeated = times >= FEWEST_TIMES && text === character.repeat(times);
  return isRepeated ? { character, times } : undefined;
}

/** Replaces a repeated character by another of nearly the same weight. */
function fillRepeated(
  { character, times }: RepeatedCharacter,
  { classes, count, taken }: FillerTools,
  random: () => number,
): string {
  const weigh = (other: string) => count(other.repeat(Math.min(times, MOST_WEIGHED_TIMES)));
  const tokens = weigh(character);
  const shape = classes.shapeOf(character);
  const [best = character] = Array.from({ length: OTHER_CHARACTERS }, () =>
    classes.fill(shape, random),
  )
    .filter((other) => other !== character && !taken.has(other.repeat(times)))
    .toSorted((left, right) => Math.abs(weigh(left) - tokens) - Math.abs(weigh(right) - tokens));
  return best.repeat(times);
}

/** Fits scripts without spaces piece by piece, because they have few words to choose from. */
function fitPhrase(text: string, sought: Sought, tools: FillerTools): string {
  const { unit, weighing, random, owed } = sought;
  if (!isUnspaced(unit)) return text;
  const share = Math.max(-1, Math.min(1, owed / weighing.times));
  const errorOf = (other: string) => weighing.errorOf(other) / weighing.times + share;
  return fitText({ unit, text, errorOf, random }, tools);
}

/** Replaces pieces of a text, keeping its shape, until its weight fits or nearly does. */
function fitText({ unit, text, errorOf, random }: Fitting, tools: FillerTools): string {
  const { classes, taken, isSpent } = tools;
  const shape = Array.from(classes.shapeOf(unit));
  const judge = (other: string): Judged => {
    const error = errorOf(other);
    return { text: other, error, faults: Math.abs(error) + countKept(unit, other) };
  };
  let best = judge(text);
  const steps = Math.min(MOST_STEPS, FEWEST_STEPS + STEPS_PER_TOKEN * best.faults);
  for (let step = 0; step < steps && best.faults > 0; step++) {
    const replacing = { shape, isTooHeavy: best.error > 0, random };
    const other = judge(replacePiece(best.text, replacing, tools));
    if (other.faults > best.faults || taken.has(other.text) || isSpent(other.text)) continue;
    best = other;
  }
  return best.text;
}

/** Replaces a piece by a word of one token if the text is too heavy, else by one token per character. */
function replacePiece(
  text: string,
  { shape, isTooHeavy, random }: Replacing,
  { pools }: FillerTools,
): string {
  const length = Math.min(shape.length, 1 + Math.floor(random() * LONGEST_PIECE));
  const start = Math.floor(random() * (shape.length - length + 1));
  const end = start + length;
  const tokens = isTooHeavy ? 1 : length;
  const piece = pools.compose({ shape: shape.slice(start, end).join(''), tokens }, random);
  const characters = Array.from(text);
  return [...characters.slice(0, start), piece, ...characters.slice(end)].join('');
}

/** Tries words of the same kinds first, then words with one token more or less to compensate. */
function findWord(segments: readonly Weighed[], sought: Sought, tools: FillerTools): string {
  const { unit, weighing, random, owed } = sought;
  const { times } = weighing;
  const isPhrase = isUnspaced(unit);
  const isBetter = (off: number) =>
    best === undefined || Math.abs(owed + off) < Math.abs(owed + best.tokensOff);
  const mostTries = Math.min(MOST_TRIES, FEWEST_TRIES + times);
  let best: Filler | undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    const lessTokens = tries % 2 === 0 ? 0 : Math.sign(owed);
    const choices = 1 + tries * MORE_CHOICES;
    const text = fillSegments(segments, { lessTokens, random, choices }, tools);
    if (!isFree(text, sought, tools)) continue;
    const tokensOff = weighing.errorOf(text);
    if ((isPhrase || Math.abs(tokensOff) <= times) && isBetter(tokensOff)) {
      best = { text, tokensOff };
    }
    if (isEnough(tokensOff, owed, times)) break;
  }
  return best?.text ?? fillFreely(unit, tools, random);
}

function fillSegments(
  segments: readonly Weighed[],
  { lessTokens, random, choices }: Filling,
  { pools, taken }: FillerTools,
): string {
  const isWhole = segments.length === 1;
  const isUsable = (word: string): boolean => !isWhole || !taken.has(word);
  return segments
    .map((segment) => {
      const tokens = Math.max(1, segment.tokens - lessTokens);
      const isSame = tokens === segment.tokens;
      const word = isSame ? pools.draw(segment, { random, isUsable, choices }) : undefined;
      return word ?? pools.compose({ shape: segment.shape, tokens }, random);
    })
    .join('');
}

/** Checks that a text may replace a unit. */
function isFree(text: string, { unit }: Sought, { taken, isSpent }: FillerTools): boolean {
  return text !== unit && !taken.has(text) && !isSpent(text) && !keepsPhrase(unit, text);
}

/** Few characters of a script without spaces say much. */
function keepsPhrase(unit: string, text: string): boolean {
  return isUnspaced(unit) && countKept(unit, text) > 0;
}

/** Accepts a filler of equal weight where little is owed; otherwise one that compensates a part of the debt. */
function isEnough(tokensOff: number, owed: number, times: number): boolean {
  if (Math.abs(owed) < times || owed === 0) return tokensOff === 0;
  return tokensOff !== 0 && Math.sign(tokensOff) !== Math.sign(owed);
}

function piecesOf(segment: string): readonly string[] {
  const characters = Array.from(segment);
  return Array.from({ length: Math.ceil(characters.length / PIECE_LENGTH) }, (_, index) =>
    characters.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH).join(''),
  );
}
