import { perKey } from '../../../engine/internal.ts';
import { createRandom } from '../../env.ts';
import { sum } from '../../lib/collections.ts';
import { copyOf } from '../../lib/text.ts';
import { createClasses } from './character-class.ts';
import { createFindFiller } from './fillers.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { createOwnWords } from './own-words.ts';
import { createWeighing, type Prefixes } from './weighing.ts';

/** What stands for each unit: always the same, and never for two. */
export interface Codebook {
  /** Words for which nothing stands, because they may stay where they are. */
  reserve(units: Iterable<string>): void;
  /** Settles what stands for the units of a session, so that all together weigh what they did. */
  learn(units: ReadonlyMap<string, Prefixes>): void;
  /** What stands for a unit; one that was not learnt is learnt alone. */
  replacementOf(unit: string): string;
}

interface CodebookOptions {
  readonly vocabulary: readonly string[];
  readonly count: (text: string) => number;
  readonly hash: KeyedHash;
}

const ALONE: Prefixes = new Map([['', 1]]);

/** A tokenizer has one vocabulary, however many redactors use it. */
const languageOf = perKey((vocabulary: readonly string[]) => ({
  tokens: new Set(vocabulary),
  classes: createClasses(),
}));

/** An empty codebook; which filler a unit gets depends on the key, and on the units that came before. */
export function createCodebook({ vocabulary, hash, ...options }: CodebookOptions): Codebook {
  const { tokens, classes } = languageOf(vocabulary);
  const count = (text: string): number => (tokens.has(text) ? 1 : options.count(text));
  const ownWords = createOwnWords((word) => tokens.has(word) || tokens.has(` ${word}`));
  const taken = new Set<string>();
  const known = new Map<string, string>();
  const isSpent = (filler: string): boolean => ownWords.areIn(filler);
  const findFiller = createFindFiller({ tokens, count, classes, taken, isSpent });

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
    findFiller(unit, { prefixes: ALONE, tokensOff: 0, random: randomFor(unit) }).text;

  return {
    reserve: (units) => {
      for (const unit of units) taken.add(unit);
    },
    learn: (units) => {
      for (const unit of units.keys()) ownWords.add(unit);
      let tokensOff = 0;
      for (const [unit, prefixes] of units) tokensOff += offBy(unit, prefixes);
      for (const [unit, prefixes] of byFrequency(units)) {
        if (known.has(unit)) continue;
        const filler = findFiller(unit, { prefixes, tokensOff, random: randomFor(unit) });
        tokensOff += filler.tokensOff;
        settle(unit, filler.text);
      }
    },
    replacementOf: (unit) => known.get(unit) ?? settle(unit, findAlone(unit)),
  };
}

/** What comes often chooses first, so that it can weigh exactly as much; the rest makes up for it. */
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
