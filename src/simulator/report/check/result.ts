import type { Policy } from '../../../engine/index.ts';
import type { RunEvent, RunState } from '../../events.ts';
import type { MetricValues } from '../../metrics/metrics.ts';
import type { RunKey } from '../../metrics/record.ts';
import type { Place } from '../../scenario/file/amounts.ts';

/** What the runs of one scenario came to. */
export interface ScenarioResult {
  /** The path as the scenario was read from. */
  readonly file: string;
  readonly name: string;
  readonly runs: readonly ScenarioRunResult[];
  /** Names of the runs of tiers that were not asked for, which were not made; absent where there are none. */
  readonly leftOut?: readonly string[];
  /** Whether every run is as expected. */
  readonly passed: boolean;
}

/** One run of a scenario, held against what its file expects. */
export interface ScenarioRunResult {
  readonly name: string;
  /** Where it stands in its file; absent of what no scenario file describes, and in reports of releases that did not tell. */
  readonly at?: Place;
  readonly policy: string;
  readonly state: RunState;
  readonly reason?: string;
  /** What is not as expected, in the order of the file; empty for a run that passed. */
  readonly failures: readonly ExpectationFailure[];
  /** All unknown for a run that broke off. */
  readonly metrics: MetricValues;
  /** In order; of a run that broke off, those before. */
  readonly events: readonly RunEvent[];
  /** What the run was made with. */
  readonly made: MadeWith;
}

/** What a run was made with, its names resolved. */
export interface MadeWith extends RunKey {
  /** With every setting applied. */
  readonly resolvedPolicy: Policy;
}

/** An expectation that is not met, with where it stands in its file. */
export interface ExpectationFailure extends Place {
  /** Words that follow "expected". */
  readonly expected: string;
  /** Words that follow "got". */
  readonly got: string;
}
