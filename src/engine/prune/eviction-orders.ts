import { type PartUses } from '../state.ts';
import { type EvictionName } from '../policy.ts';
import { FNV, hashUnits } from '../fnv.ts';

/** A tool output that may be cleared. */
export interface Candidate {
  readonly partId: string;
  /** What the policy believes it weighs. */
  readonly tokens: number;
}

/** One way to choose which outputs go first. */
interface EvictionOrder {
  readonly describes: string;
  /** Ranks a candidate: the smallest goes first, and of equal ones the oldest. Without uses nothing is known. */
  rank(candidate: Candidate, uses: PartUses | undefined): readonly number[];
}

/** Orders in which outputs are cleared where it need not be by age, the bound first. */
export const evictionOrders = {
  /**
   * Belady's rule for parts that do not come back. A miss weighs what its part weighs, so that a freed token
   * costs as many as the uses to come: fewest uses first, and of equal ones the latest next use.
   */
  clairvoyant: {
    describes: 'what is never needed again, then what is needed least often and latest',
    rank: ({ partId }, uses) => {
      const upcoming = uses?.upcoming(partId) ?? [];
      return [upcoming.length, -(upcoming[0] ?? 0)];
    },
  },
  random: {
    describes: 'outputs at random',
    rank: ({ partId }, uses) => [hashOf(`${uses?.seed ?? 0}:${partId}`)],
  },
  'largest-first': {
    describes: 'the largest outputs first',
    rank: ({ tokens }) => [-tokens],
  },
  'least-recently-used': {
    describes: 'the least recently used outputs first',
    rank: ({ partId }, uses) => [uses?.newest(partId) ?? 0],
  },
} satisfies Record<EvictionName, EvictionOrder>;

/** Candidates in the order in which they go; they are given from the oldest on. */
export function orderCandidates<Ranked extends Candidate>(
  candidates: readonly Ranked[],
  name: EvictionName,
  uses: PartUses | undefined,
): readonly Ranked[] {
  const order: EvictionOrder = evictionOrders[name];
  return candidates
    .map((candidate) => ({ candidate, rank: order.rank(candidate, uses) }))
    .toSorted((one, other) => compareRanks(one.rank, other.rank))
    .map(({ candidate }) => candidate);
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, place) => value !== other[place]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

/** With a last mix, so that ids that count up lie far apart. */
function hashOf(text: string): number {
  const hash = hashUnits(text);
  const mixed = Math.imul(hash ^ (hash >>> 15), FNV.start);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
