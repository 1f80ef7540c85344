import { addToGroup } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';

/** Facts at one point of a session, by what a text should do with them. */
export interface FactsAt {
  /** Everything that was said by then, texts that are no facts among it. */
  readonly said: readonly PlantedFact[];
  /** What holds and is to be kept. */
  readonly live: readonly PlantedFact[];
  /** What rests on something that was replaced. */
  readonly invalid: readonly PlantedFact[];
  /** Facts about the same, each after the one that it replaces; only where one was replaced. */
  readonly chains: readonly (readonly PlantedFact[])[];
}

const WEIGHTS: Readonly<Record<PlantedFact['criticality'], number>> = {
  must: 3,
  should: 2,
  nice: 1,
};

/** How much a fact counts. */
export function weightOf({ weight, criticality }: PlantedFact): number {
  return weight ?? WEIGHTS[criticality];
}

/** Facts as they stand after a step; after the last where none is given. */
export function factsAt(facts: readonly PlantedFact[], step = Infinity): FactsAt {
  const said = facts.filter((fact) => fact.step <= step);
  const chains = chainsOf(said.filter(({ role }) => role === undefined));
  const replaced = new Set(chains.flatMap((chain) => chain.slice(0, -1).map(({ id }) => id)));
  const invalidIds = invalidate(said, replaced);
  const holds = said.filter(({ id, role }) => role === undefined && !replaced.has(id));
  return {
    said,
    live: holds.filter(({ id }) => !invalidIds.has(id)),
    invalid: holds.filter(({ id }) => invalidIds.has(id)),
    chains,
  };
}

/** What holds last is decided by number, wherever it stands. */
function chainsOf(facts: readonly PlantedFact[]): readonly (readonly PlantedFact[])[] {
  const serials = new Map(facts.map(({ id, serial }, index) => [id, serial ?? index + 1]));
  const heads = new Map<string, string>();
  const groups = new Map<string, PlantedFact[]>();
  const inOrder = facts.toSorted((a, b) => (serials.get(a.id) ?? 0) - (serials.get(b.id) ?? 0));
  for (const fact of inOrder) {
    const head = heads.get(fact.supersedes ?? '') ?? fact.id;
    heads.set(fact.id, head);
    addToGroup(groups, head, fact);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** What rests on something that does not hold does not hold either. */
function invalidate(
  facts: readonly PlantedFact[],
  replaced: ReadonlySet<string>,
): ReadonlySet<string> {
  const invalid = new Set<string>();
  for (const { id, dependsOn = [] } of facts) {
    if (dependsOn.some((other) => replaced.has(other) || invalid.has(other))) invalid.add(id);
  }
  return invalid;
}
