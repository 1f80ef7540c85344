import { HarnessError, unlessWrongInput } from '../../simulator/errors.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import type { Scenario } from '../../simulator/scenario/file/scenario.ts';
import { type CopyCandidate, toCopyCandidate } from '../../simulator/session/repeats/copies.ts';
import { openNamed } from '../../simulator/session/named-session.ts';
import {
  findScenarioFamilies,
  type ReplayedSession,
} from '../../simulator/sweep/gate/scenario-families.ts';

/**
 * The families of the scenarios in some files, as far as they replay recorded sessions: what a script makes has no time
 * of its own that tells a copy from what looks alike. What cannot be read is told of where it is checked.
 */
export function familiesOfScenarios(files: readonly string[]): ReadonlyMap<string, string> {
  const candidates = new Map<string, CopyCandidate | undefined>();
  const candidateOf = (path: string): CopyCandidate | undefined => {
    if (!candidates.has(path)) candidates.set(path, readCandidate(path));
    return candidates.get(path);
  };
  // Scenario by scenario, for each holds the sessions that its scripts make.
  const replayed = files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readScenario(file));
    return scenario instanceof HarnessError ? [] : replayedIn(scenario, candidateOf);
  });
  return findScenarioFamilies(replayed);
}

function replayedIn(
  { name: scenario, runs }: Scenario,
  candidateOf: (path: string) => CopyCandidate | undefined,
): readonly ReplayedSession[] {
  return runs.flatMap(({ session }) => {
    const candidate = session.type === 'file' ? candidateOf(session.path.value) : undefined;
    return candidate === undefined ? [] : [{ scenario, candidate }];
  });
}

function readCandidate(path: string): CopyCandidate | undefined {
  const opened = openNamed(path);
  return opened.state === 'read' ? toCopyCandidate(opened.session) : undefined;
}
