/** Facts at one point of a session: which hold, and which were replaced. */

import { addToGroup } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';

/** Everything that was said up to a step, texts that are no facts among it, and the facts that hold then and should be kept. */
export function factsAt(facts: readonly PlantedFact[], step = Infinity) {
  const said = facts.filter((fact) => fact.step <= step);
  const replaced = new Set(
    chainsOf(said).flatMap((chain) => chain.slice(0, -1).map(({ id }) => id)),
  );
  const invalid = new Set<string>();
  for (const { id, dependsOn = [] } of said) {
    if (dependsOn.some((other) => replaced.has(other) || invalid.has(other))) invalid.add(id);
  }
  const live = said.filter(
    ({ id, role }) => role === undefined && !replaced.has(id) && !invalid.has(id),
  );
  return { said, live };
}

/** Facts that replace one another, in order; each chain has two or more. */
export function chainsOf(facts: readonly PlantedFact[]): readonly (readonly PlantedFact[])[] {
  const own = facts.filter(({ role }) => role === undefined);
  const serials = new Map(own.map(({ id, serial }, index) => [id, serial ?? index + 1]));
  const heads = new Map<string, string>();
  const groups = new Map<string, PlantedFact[]>();
  const inOrder = own.toSorted((a, b) => (serials.get(a.id) ?? 0) - (serials.get(b.id) ?? 0));
  for (const fact of inOrder) {
    const head = heads.get(fact.supersedes ?? '') ?? fact.id;
    heads.set(fact.id, head);
    addToGroup(groups, head, fact);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}
