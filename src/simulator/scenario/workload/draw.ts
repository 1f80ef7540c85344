import { FNV } from '../../../engine/internal.ts';
import { createRandom } from '../../random.ts';

/** Chance in the forms in which texts and plans need it. */
export interface Draw {
  /** A number in [0, 1). */
  share(): number;
  isTrue(probability: number): boolean;
  /** A whole number, each from the least to the most as likely as any other. */
  whole(least: number, most: number): number;
  /** One of some words; empty if there are none. */
  word(words: readonly string[]): string;
  /** One of some things; absent if there are none. */
  one<Thing>(things: readonly Thing[]): Thing | undefined;
  /** A name, each as likely as its weight says; empty if there are none. */
  weighted(weights: Readonly<Record<string, number>>): string;
  shuffled<Thing>(things: readonly Thing[]): Thing[];
}

/** Session `index` of a seed, whatever number of sessions is asked for. */
export interface SessionSeed {
  readonly seed: number;
  /** From 0. */
  readonly index: number;
}

/** Shares of a distribution, one after another. */
export type NextShare = () => number;

const TENTHS = 10;
const HALF = TENTHS / 2;
const FIFTHS = Array.from({ length: HALF }, (_, index) => index);
/** The fractional part of the golden ratio: its multiples spread evenly over [0, 1). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Multipliers and shifts of the finalizer of MurmurHash3 (public domain). */
const MIX = { first: 0x85ebca6b, second: 0xc2b2ae35, shifts: [16, 13, 16] } as const;

/** Chance that is the same for the same seed and purpose. */
export function createDraw({ seed, index }: SessionSeed, purpose: string): Draw {
  const share = createRandom(deriveSeed([seed, index, hashOf(purpose)]));
  const one = <Thing>(things: readonly Thing[]) => things[Math.floor(share() * things.length)];
  return {
    share,
    one,
    word: (words) => one(words) ?? '',
    isTrue: (probability) => share() < probability,
    whole: (least, most) => least + Math.floor(share() * (most - least + 1)),
    weighted: (weights) => pickWeighted(Object.entries(weights), share()),
    shuffled: (things) => {
      const keyed = things.map((thing) => ({ thing, key: share() }));
      return keyed.toSorted((a, b) => a.key - b.key).map(({ thing }) => thing);
    },
  };
}

/**
 * Shares that cover [0, 1) evenly: each ten of them have one in each tenth, two that follow each other lie half of
 * it apart, and the tenths with which sessions begin are evenly spread over the sessions. A few draws then show the
 * distribution that they are made from.
 */
export function createShares(session: SessionSeed, purpose: string): NextShare {
  const draw = createDraw(session, purpose);
  const first = Math.floor(evenShare(session, purpose) * TENTHS);
  const others = draw.shuffled(FIFTHS.filter((tenth) => tenth !== first % HALF));
  let waiting = [first, oppositeOf(first), ...pairTenths(others, draw)];
  return () => {
    if (waiting.length === 0) waiting = pairTenths(draw.shuffled(FIFTHS), draw);
    const tenth = waiting.shift() ?? 0;
    return (tenth + draw.share()) / TENTHS;
  };
}

/** A share in [0, 1) for each session; over any number of them, shares lie evenly. */
export function evenShare({ seed, index }: SessionSeed, purpose: string): number {
  const offset = deriveSeed([seed, hashOf(purpose)]) / 2 ** 32;
  return (offset + index * GOLDEN) % 1;
}

/** Each with its opposite, one or the other first. */
function pairTenths(tenths: readonly number[], draw: Draw): number[] {
  return tenths.flatMap((tenth) => draw.shuffled([tenth, oppositeOf(tenth)]));
}

function oppositeOf(tenth: number): number {
  return (tenth + HALF) % TENTHS;
}

function pickWeighted(weights: readonly (readonly [string, number])[], share: number): string {
  let rest = share * weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of weights) {
    rest -= weight;
    if (rest < 0) return name;
  }
  return weights.at(-1)?.[0] ?? '';
}

/** A seed of 32 bits that each of the numbers changes wholly. */
function deriveSeed(numbers: readonly number[]): number {
  return numbers.reduce((hash, number) => mix(Math.imul(hash, FNV.prime) ^ mix(number)), FNV.start);
}

function mix(value: number): number {
  const [first, second, third] = MIX.shifts;
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> first), MIX.first);
  hash = Math.imul(hash ^ (hash >>> second), MIX.second);
  return (hash ^ (hash >>> third)) >>> 0;
}

function hashOf(text: string): number {
  let hash: number = FNV.start;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV.prime);
  }
  return hash >>> 0;
}
