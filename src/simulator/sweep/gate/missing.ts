import { quoted } from '../../names.ts';
import type { HeldScenario } from '../../report/check/gate-report.ts';
import type { Baseline, ScenarioRecord } from './baseline.ts';
import { sourceMismatch } from './comparable.ts';

/** Runs of tiers that were not asked for, which nobody misses. */
export interface LeftOutRuns {
  /** Hash of the scenario's file. */
  readonly source: string;
  readonly runs: readonly string[];
}

/** What was seen of the scenarios of a baseline. */
export interface Seen {
  readonly held: readonly HeldScenario[];
  /** By scenario. */
  readonly leftOut: ReadonlyMap<string, LeftOutRuns>;
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
      const seen = byName.get(record.scenario);
      const others = leftOut.get(record.scenario);
      if (seen === undefined) return missingOfUnseen(record, others);
      if (seen.runs.length === 0) return [];
      return missingRuns(record, [...seen.runs.map(({ run }) => run), ...(others?.runs ?? [])]);
    });
}

/** Of a scenario of which no run was made. */
function missingOfUnseen(record: ScenarioRecord, others: LeftOutRuns | undefined) {
  if (others === undefined) {
    return [`Scenario ${quoted(record.scenario)} of the baseline was not checked.`];
  }
  const mismatch = sourceMismatch(record, others.source);
  return mismatch === undefined ? missingRuns(record, others.runs) : [mismatch];
}

function missingRuns(
  { scenario, runs }: ScenarioRecord,
  known: readonly string[],
): readonly string[] {
  return runs
    .filter(({ run }) => !known.includes(run))
    .map(({ run }) => `Run ${quoted(run)} of scenario ${quoted(scenario)} was not run.`);
}
