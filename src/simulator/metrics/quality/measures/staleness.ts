import type { PlantedFact } from '../../../session/facts.ts';
import { hasCueInUnit } from '../match/cue-index.ts';
import { isBound } from '../match/binding.ts';
import type { FactMatch } from '../match/match-fact.ts';
import type { Matching } from '../match/matching.ts';
import type { Occurrence } from '../text/text-index.ts';

/** What a text tells of something that has changed. */
export const CHAIN_OUTCOMES = ['current', 'marked', 'ambiguous', 'old', 'none'] as const;

/**
 * `current`: only what holds. `marked`: both, and which is which. `ambiguous`: both, and nothing tells.
 * `old`: only what holds no longer, as if it did. `none`: nothing.
 */
export type ChainOutcome = (typeof CHAIN_OUTCOMES)[number];

/** What a text tells of something that has changed. */
export interface ChainScore {
  /** The id of the fact that holds. */
  readonly current: string;
  readonly outcome: ChainOutcome;
}

/** What a text tells of each chain. Of tasks the value stays and the state changes, so that they are no chains here. */
export function scoreChains(
  matching: Matching,
  chains: readonly (readonly PlantedFact[])[],
  matchOf: (fact: PlantedFact) => FactMatch,
): readonly ChainScore[] {
  return chains.flatMap((chain) => {
    const current = chain.at(-1);
    if (current === undefined || current.kind === 'todo') return [];
    const old = chain.slice(0, -1).flatMap((fact) => boundPlaces(matching, fact, matchOf(fact)));
    const own = matchOf(current).bound;
    return [{ current: current.id, outcome: outcomeOf(matching, own, old) }];
  });
}

/** Whether a text states a fact that holds no longer as if it did. */
export function isStatedAsValid(matching: Matching, match: FactMatch): boolean {
  return match.bound.some((place) => !isMarkedPast(matching, place));
}

function boundPlaces(
  matching: Matching,
  fact: PlantedFact,
  { occurrences }: FactMatch,
): readonly Occurrence[] {
  return occurrences.filter((place) => isBound(matching, fact, place));
}

function outcomeOf(
  matching: Matching,
  current: readonly Occurrence[],
  old: readonly Occurrence[],
): ChainOutcome {
  const unmarked = old.filter((place) => !isMarkedPast(matching, place));
  if (current.length === 0) return unmarked.length === 0 ? 'none' : 'old';
  if (old.length === 0) return 'current';
  const lastOld = Math.max(...unmarked.map(({ start }) => start));
  const isCorrected = current.some(
    (place) => place.start > lastOld && hasCueInUnit(matching.index, place, matching.corrections),
  );
  return unmarked.length === 0 || isCorrected ? 'marked' : 'ambiguous';
}

function isMarkedPast({ index, past }: Matching, place: Occurrence): boolean {
  return hasCueInUnit(index, place, past);
}
