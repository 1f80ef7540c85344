import { renderSawtooth } from '../sawtooth.ts';
import type { Origin } from '../origin.ts';
import type { Terminal, UnreadInput } from '../report.ts';
import type { GatePart, GateReport } from './gate-report.ts';
import type { ScenarioResult, ScenarioRunResult } from './result.ts';

/** What checking some scenarios came to. */
export interface CheckReport {
  readonly schemaVersion: number;
  /** Absent in reports of releases that did not tell. */
  readonly origin?: Origin;
  readonly passed: number;
  readonly failed: number;
  readonly scenarios: readonly CheckedScenario[];
  readonly unread: readonly UnreadInput[];
  /** How it stands against a baseline; absent where none was named. */
  readonly gate?: GateReport;
  /** Absent where all scenarios were to be checked in one go. */
  readonly shard?: CheckShard;
}

/** Which part of a check a report is of, and what only the whole can tell. */
export interface CheckShard {
  readonly index: number;
  readonly count: number;
  /** Hash of what all parts of one check have in common. */
  readonly check: string;
  /** The release that made it. */
  readonly version: string;
  readonly gate?: GatePart;
}

/** A scenario as it is reported: without events, with charts where they are wanted. */
export interface CheckedScenario extends Omit<ScenarioResult, 'runs'> {
  readonly runs: readonly CheckedRun[];
}

/** A run as it is reported. */
export type CheckedRun = Omit<ScenarioRunResult, 'events' | 'made'> & { readonly chart?: string };

/** One way to write the outcome of a check down. */
export interface CheckFormat {
  /** Of the file it is usually written to, with its dot. */
  readonly extension: string;
  readonly describes: string;
  render(report: CheckReport, terminal: Terminal): string;
}

/** The version of the shape of `CheckReport`. */
export const CHECK_SCHEMA_VERSION = 1;

/** A scenario as it is reported, under the name that its file is shown by, with charts drawn for a terminal where that is named. */
export function toChecked(
  { runs, ...rest }: ScenarioResult,
  { file, chartsFor }: { readonly file: string; readonly chartsFor?: Terminal | undefined },
): CheckedScenario {
  return {
    ...rest,
    file,
    runs: runs.map(({ events, made: { policy }, ...run }) => ({
      ...run,
      policy,
      ...(chartsFor && { chart: renderSawtooth(events, chartsFor) }),
    })),
  };
}

/** The report of some scenarios. */
export function toCheckReport({
  origin,
  scenarios,
  unread,
}: Pick<CheckReport, 'origin' | 'scenarios' | 'unread'>): CheckReport {
  const passed = scenarios.filter((scenario) => scenario.passed).length;
  const failed = scenarios.length - passed;
  const schemaVersion = CHECK_SCHEMA_VERSION;
  return { schemaVersion, ...(origin && { origin }), passed, failed, scenarios, unread };
}
