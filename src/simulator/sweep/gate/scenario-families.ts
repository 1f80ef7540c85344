import { joinGroups } from '../../join-groups.ts';
import { clusterOf } from '../../metrics/evidence.ts';
import type { CopyCandidate } from '../../session/repeats/copies.ts';
import { byName, familiesWithCopies } from '../../session/repeats/file-repeats.ts';
import { findRepeats } from '../../session/repeats/repeats.ts';
import { groupBy } from '../../group-by.ts';

/** A recorded session that a scenario replays. */
export interface ReplayedSession {
  readonly scenario: string;
  readonly candidate: CopyCandidate;
}

/**
 * Scenarios that replay sessions of one family, or one session, and so are no independent evidence: each with the first
 * by name of those that it hangs together with. Scenarios that stand alone are absent.
 */
export function findScenarioFamilies(
  replayed: readonly ReplayedSession[],
): ReadonlyMap<string, string> {
  const candidates = new Map(replayed.map(({ candidate }) => [candidate.name, candidate]));
  const families = familiesWithCopies(byName(findRepeats([...candidates.values()])));
  const groups = groupBy(replayed, ({ candidate: { name: session } }) =>
    clusterOf({ session, family: families.get(session) }),
  );
  const scenarios = [...groups.values()].map((own) => [
    ...new Set(own.map(({ scenario }) => scenario)),
  ]);
  return joinGroups(scenarios.filter(({ length }) => length > 1));
}
