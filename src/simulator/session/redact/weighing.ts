import { sum } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';

/** How often a unit stands after which character. */
export type Prefixes = ReadonlyMap<string, number>;

/** What fillers of a unit are measured against. */
export interface Weighing {
  /** Places of the unit. */
  readonly times: number;
  /** Tokens that a filler has too many, or too few where it is negative, over all places of the unit. */
  errorOf(filler: string): number;
}

interface Target {
  readonly prefix: string;
  readonly times: number;
  readonly tokens: number;
}

/** Longer units are data: filled in pieces, and made only of pieces. */
export const LONGEST_WORD = 64;
const MOST_TARGETS = 6;
/** Longest text that is counted at once; a tokenizer needs more time for each character of a longer one. */
const MOST_COUNTED_CHARS = 4_000;

/** Counts a unit where it stands most often; what stands before a long one makes no difference to it. */
export function createWeighing(
  unit: string,
  prefixes: Prefixes,
  count: (text: string) => number,
): Weighing {
  const weigh = (text: string): number =>
    text.length <= MOST_COUNTED_CHARS ? count(text) : countPieces(text, count);
  const targets = targetsOf(unit, prefixes, weigh);
  return {
    times: sum(targets.map(({ times }) => times)),
    errorOf: (filler) =>
      targets.reduce(
        (total, { prefix, times, tokens }) => total + times * (weigh(prefix + filler) - tokens),
        0,
      ),
  };
}

function targetsOf(
  unit: string,
  prefixes: Prefixes,
  count: (text: string) => number,
): readonly Target[] {
  if (unit.length > LONGEST_WORD) {
    const times = sum([...prefixes.values()]);
    return [{ prefix: '', times, tokens: count(unit) }];
  }
  return [...prefixes]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, MOST_TARGETS)
    .map(([prefix, times]) => ({ prefix, times, tokens: count(prefix + unit) }));
}

/** Pieces that are equal, as those of a repeated character, are counted once. */
function countPieces(text: string, count: (text: string) => number): number {
  const countOnce = remembered(count);
  let total = 0;
  for (let start = 0; start < text.length; start += MOST_COUNTED_CHARS) {
    total += countOnce(text.slice(start, start + MOST_COUNTED_CHARS));
  }
  return total;
}
