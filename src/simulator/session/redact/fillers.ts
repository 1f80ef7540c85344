import { fillClause, fitText } from './fit.ts';
import { countKept } from './kept-run.ts';
import { type FillerTools, fillData, fillFreely, fillRepeated } from './other-fillers.ts';
import { repeatedCharacterOf } from './repeated-character.ts';
import { isUnspaced, segmentsOf } from './units.ts';
import { createWeighing, LONGEST_WORD, type Prefixes, type Weighing } from './weighing.ts';
import { createWordPools, type Weighed } from './word-pools.ts';

/** What a filler is wanted for. */
export interface Wanted {
  readonly prefixes: Prefixes;
  /** Tokens that the fillers so far have too many, or too few where it is negative. */
  readonly tokensOff: number;
  readonly random: () => number;
}

/** What may stand for a unit. */
export interface Filler {
  readonly text: string;
  /** Tokens that it has too many, or too few where it is negative, over all places of the unit. */
  readonly tokensOff: number;
}

/** Finds a text of the same shape as a unit, and as near as can be of the same weight. */
export type FindFiller = (unit: string, wanted: Wanted) => Filler;

interface FillersOptions extends Omit<FillerTools, 'pools'> {
  readonly tokens: ReadonlySet<string>;
}

/** How the segments of a unit are filled. */
interface Filling {
  readonly lessTokens: number;
  readonly random: () => number;
  readonly choices: number;
}

/** A unit that is to be filled. */
interface Sought {
  readonly unit: string;
  readonly weighing: Weighing;
  readonly random: () => number;
  /** Tokens that the fillers so far have too many, where this one may make up for some. */
  readonly owed: number;
}

const FEWEST_TRIES = 5;
const MOST_TRIES = 32;
/** Words that each try may choose among more than the one before. */
const MORE_CHOICES = 4;

/** Fillers of the words among a tokenizer's tokens. */
export function createFindFiller(options: FillersOptions): FindFiller {
  const tools: FillerTools = { ...options, pools: createWordPools(options) };
  return (unit, { prefixes, tokensOff, random }) => {
    const weighing = createWeighing(unit, prefixes, tools.count);
    const sought = { unit, weighing, random, owed: tokensOff };
    const text = findText(sought, tools);
    return { text, tokensOff: weighing.errorOf(text) };
  };
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

/** What is written without blanks has few words to choose from: it comes to its weight piece by piece. */
function fitPhrase(text: string, sought: Sought, tools: FillerTools): string {
  const { unit, weighing, random, owed } = sought;
  if (!isUnspaced(unit)) return text;
  const share = Math.max(-1, Math.min(1, owed / weighing.times));
  const errorOf = (other: string) => weighing.errorOf(other) / weighing.times + share;
  return fitText({ unit, text, errorOf, random }, tools);
}

/** Words of the same kinds first, then some with a token more or less, where that makes up for others. */
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

/** Whether a text may stand for a unit. */
function isFree(text: string, { unit }: Sought, { taken, isSpent }: FillerTools): boolean {
  if (text === unit || taken.has(text) || isSpent(text)) return false;
  return !isUnspaced(unit) || countKept(unit, text) === 0;
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

/** Whether a filler weighs the same where little is owed, and else makes up for a part of it. */
function isEnough(tokensOff: number, owed: number, times: number): boolean {
  if (Math.abs(owed) < times || owed === 0) return tokensOff === 0;
  return tokensOff !== 0 && Math.sign(tokensOff) !== Math.sign(owed);
}
