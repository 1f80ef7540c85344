import { quoted } from '../../names.ts';
import type { HeldScenario } from '../../report/check/gate-report.ts';
import type { Baseline } from './baseline.ts';

/** What of a baseline was to be checked and was not, a sentence each: scenarios, and runs of those that were. */
export function findMissing(
  { scenarios }: Baseline,
  held: readonly HeldScenario[],
  isHere: (scenario: string) => boolean,
): readonly string[] {
  const byName = new Map(held.map((one) => [one.scenario, one]));
  return [...scenarios.values()]
    .filter(({ scenario, runs }) => isHere(scenario) && runs.length > 0)
    .flatMap(({ scenario, runs }) => {
      const seen = byName.get(scenario);
      if (seen === undefined)
        return [`Scenario ${quoted(scenario)} of the baseline was not checked.`];
      if (seen.inconclusive.length > 0) return [];
      const made = new Set(seen.runs.map(({ run }) => run));
      return runs
        .filter(({ run }) => !made.has(run))
        .map(({ run }) => `Run ${quoted(run)} of scenario ${quoted(scenario)} was not made.`);
    });
}
