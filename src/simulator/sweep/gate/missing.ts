import { quoted } from '../../names.ts';
import type { HeldScenario } from '../../report/check/gate-report.ts';
import type { Baseline, ScenarioRecord } from './baseline.ts';

/** What was seen of the scenarios of a baseline. */
export interface Seen {
  readonly held: readonly HeldScenario[];
  /** By scenario, the runs of tiers that were not asked for, which nobody misses. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
  /** Whether a scenario was to be checked here. */
  readonly isHere: (scenario: string) => boolean;
}

/** What of a baseline was to be checked and was not, a sentence each: scenarios, and runs of those that were. */
export function findMissing(
  { scenarios }: Baseline,
  { held, leftOut, isHere }: Seen,
): readonly string[] {
  const byName = new Map(held.map((one) => [one.scenario, one]));
  return [...scenarios.values()]
    .filter(({ scenario, runs }) => isHere(scenario) && runs.length > 0)
    .flatMap((record) => {
      const { scenario } = record;
      const seen = byName.get(scenario);
      const others = leftOut.get(scenario);
      if (seen === undefined && others === undefined)
        return [`Scenario ${quoted(scenario)} of the baseline was not checked.`];
      if (seen !== undefined && seen.runs.length === 0) return [];
      return missingRuns(record, [...(seen?.runs ?? []).map(({ run }) => run), ...(others ?? [])]);
    });
}

function missingRuns(
  { scenario, runs }: ScenarioRecord,
  known: readonly string[],
): readonly string[] {
  return runs
    .filter(({ run }) => !known.includes(run))
    .map(({ run }) => `Run ${quoted(run)} of scenario ${quoted(scenario)} was not run.`);
}
