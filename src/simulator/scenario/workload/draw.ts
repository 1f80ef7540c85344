import { FNV } from '../../../engine/internal.ts';
import { createRandom } from '../../env.ts';
import type { Spread } from './workload.ts';

export interface Draw {
  /** A number in [0, 1). */
  share(): number;
  isTrue(probability: number): boolean;
  whole(least: number, most: number): number;
  word(words: readonly string[]): string;
  one<Thing>(things: readonly Thing[]): Thing | undefined;
  /** Empty if there are none. */
  weighted(weights: Readonly<Record<string, number>>): string;
  shuffled<Thing>(things: readonly Thing[]): Thing[];
}

/** A session of a seed, whatever number of sessions is asked for. */
export interface SessionSeed {
  readonly seed: number;
  readonly index: number;
}

const TENTHS = 10;
const HALF = TENTHS / 2;
const FIFTHS = Array.from({ length: HALF }, (_, index) => index);
/** The fractional part of the golden ratio: its multiples spread evenly over [0, 1). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Multipliers and shifts of the finalizer of MurmurHash3 (public domain). */
const MIX = { first: 0x85ebca6b, second: 0xc2b2ae35, shifts: [16, 13, 16] } as const;

export const PERCENT = 100;
const PERCENT_DIGITS = 3;
const ROUNDS = 24;

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

/** Shares that cover [0, 1) evenly, within a session and over sessions. */
export function createShares(session: SessionSeed, purpose: string): () => number {
  const draw = createDraw(session, purpose);
  const first = Math.floor(evenShare(session, purpose) * TENTHS);
  const others = draw.shuffled(FIFTHS.filter((tenth) => tenth !== first % HALF));
  let waiting = [first, (first + HALF) % TENTHS, ...pairTenths(others, draw)];
  return () => {
    if (waiting.length === 0) waiting = pairTenths(draw.shuffled(FIFTHS), draw);
    const tenth = waiting.shift() ?? 0;
    return (tenth + draw.share()) / TENTHS;
  };
}

/** A share in [0, 1) for each session, evenly over any number of them. */
export function evenShare({ seed, index }: SessionSeed, purpose: string) {
  const offset = deriveSeed([seed, hashOf(purpose)]) / 2 ** 32;
  return (offset + index * GOLDEN) % 1;
}

/** The value at a share in [0, 1); between points its logarithm grows evenly, unless bent. */
export function valueAt({ points, bend = 1 }: Spread, share: number) {
  const above = points.findIndex(([upTo]) => share < upTo);
  const [highShare, high] = points.at(above) ?? [1, 0];
  const [lowShare, low] = above > 0 ? (points[above - 1] ?? [0, high]) : [0, high];
  if (above === -1 || highShare <= lowShare) return high;
  const part = ((share - lowShare) / (highShare - lowShare)) ** bend;
  return Math.expm1(Math.log1p(low) + part * (Math.log1p(high) - Math.log1p(low)));
}

/** The share of numbers that are not above a value. */
export function shareOf({ points, bend = 1 }: Spread, value: number) {
  const above = points.findIndex(([, upTo]) => value < upTo);
  if (above === -1) return 1;
  const [highShare, high] = points[above] ?? [1, 0];
  const [lowShare, low] = points[above - 1] ?? [0, high];
  if (above === 0 || high <= low) return lowShare;
  const part = (Math.log1p(value) - Math.log1p(low)) / (Math.log1p(high) - Math.log1p(low));
  return lowShare + part ** (1 / bend) * (highShare - lowShare);
}

export function inPercent({ points, ...spread }: Spread): Spread {
  return { ...spread, points: points.map(([upTo, share]) => [upTo, percentOf(share)] as const) };
}

/** The argument at which a rising function reaches a value; the nearer bound where it does not. */
export function solveRising(
  of: (at: number) => number,
  value: number,
  bounds: { readonly least: number; readonly most: number },
) {
  let { least, most } = bounds;
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (least + most) / 2;
    if (of(middle) < value) least = middle;
    else most = middle;
  }
  return (least + most) / 2;
}

/** A seed of 32 bits that each of the numbers changes wholly. */
function deriveSeed(numbers: readonly number[]) {
  return numbers.reduce((hash, number) => mix(Math.imul(hash, FNV.prime) ^ mix(number)), FNV.start);
}

function mix(value: number) {
  const [first, second, third] = MIX.shifts;
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> first), MIX.first);
  hash = Math.imul(hash ^ (hash >>> second), MIX.second);
  return (hash ^ (hash >>> third)) >>> 0;
}

function hashOf(text: string) {
  let hash: number = FNV.start;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV.prime);
  return hash >>> 0;
}

function pickWeighted(weights: readonly (readonly [string, number])[], share: number) {
  let rest = share * weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of weights) {
    rest -= weight;
    if (rest < 0) return name;
  }
  return weights.at(-1)?.[0] ?? '';
}

/** Each with the tenth half of all apart, one or the other first. */
function pairTenths(tenths: readonly number[], draw: Draw) {
  return tenths.flatMap((tenth) => draw.shuffled([tenth, (tenth + HALF) % TENTHS]));
}

function percentOf(share: number) {
  return Number((PERCENT * share).toFixed(PERCENT_DIGITS));
}
