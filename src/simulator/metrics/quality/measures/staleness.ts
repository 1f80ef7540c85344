import type { PlantedFact } from '../../../session/facts.ts';
import { isBound } from '../match/binding.ts';
import type { FactMatch } from '../match/match-fact.ts';
import type { Matching } from '../match/matching.ts';
import { placesCorrected, placesToldAsPast } from '../match/told-past.ts';
import type { Occurrence } from '../text/text-index.ts';
import { outside } from '../text/cover.ts';

/** What a text tells of something that has changed. */
export interface ChainScore {
  /** The id of the fact that holds. */
  readonly current: string;
  readonly outcome: ChainOutcome;
}

/** A place where a text tells a value of something that has changed. */
interface ToldPlace {
  readonly place: Occurrence;
  /** It is said not to hold. */
  readonly isDenied: boolean;
}

/** What a text tells of something that has changed. */
const CHAIN_OUTCOMES = ['current', 'marked', 'ambiguous', 'old', 'none'] as const;

/**
 * `current`: only what holds. `marked`: both, and which is which. `ambiguous`: both, and nothing tells.
 * `old`: only what holds no longer, as if it did. `none`: nothing.
 */
export type ChainOutcome = (typeof CHAIN_OUTCOMES)[number];

/** What a text tells of each chain. Of tasks the value stays and the state changes, so that they are no chains here. */
export function scoreChains(
  matching: Matching,
  chains: readonly (readonly PlantedFact[])[],
  matchOf: (fact: PlantedFact) => FactMatch,
): readonly ChainScore[] {
  return chains.flatMap((chain) => {
    const current = chain.at(-1);
    if (current === undefined || current.kind === 'todo') return [];
    const before = chain.slice(0, -1).flatMap((fact) => boundPlaces(matching, fact, matchOf(fact)));
    const now = matchOf(current).bound.map((place) => toTold(matching, current, place));
    const old = outside(before, now);
    const own = outside(now, old);
    return [{ current: current.id, outcome: outcomeOf(matching, own, old) }];
  });
}

/** Whether a text tells only what held before a fact as what holds. */
export function isToldAsOld(chains: readonly ChainScore[], { id }: PlantedFact): boolean {
  return chains.some(({ current, outcome }) => current === id && outcome === 'old');
}

/** Whether a text states a fact that holds no longer as if it did. */
export function isStatedAsValid(matching: Matching, { fact, bound }: FactMatch): boolean {
  const { index, past, isSaidRight } = matching;
  return bound.some(
    (place) => isSaidRight(fact, place) && placesToldAsPast(index, past, [place]).size === 0,
  );
}

function boundPlaces(
  matching: Matching,
  fact: PlantedFact,
  { occurrences }: FactMatch,
): readonly ToldPlace[] {
  return occurrences
    .filter((place) => isBound(matching, fact, place))
    .map((place) => toTold(matching, fact, place));
}

function toTold(matching: Matching, fact: PlantedFact, place: Occurrence): ToldPlace {
  return { place, isDenied: !matching.isSaidRight(fact, place) };
}

function outcomeOf(
  { index, past, corrections }: Matching,
  current: readonly ToldPlace[],
  old: readonly ToldPlace[],
): ChainOutcome {
  const all = [...current, ...old].map(({ place }) => place);
  const toldAsPast = placesToldAsPast(index, past, all);
  const holds = ({ place, isDenied }: ToldPlace) => !isDenied && !toldAsPast.has(place);
  const unmarked = old.filter(holds).map(({ place }) => place);
  if (unmarked.length === 0) {
    if (current.every(({ isDenied }) => isDenied)) return 'none';
    return old.length === 0 ? 'current' : 'marked';
  }
  const valid = current.filter(holds).map(({ place }) => place);
  if (valid.length === 0) return 'old';
  const lastOld = unmarked.reduce((last, { start }) => Math.max(last, start), 0);
  const corrected = placesCorrected(index, corrections, all);
  const isCorrected = valid.some((place) => place.start > lastOld && corrected.has(place));
  return isCorrected ? 'marked' : 'ambiguous';
}
