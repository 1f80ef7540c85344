import type { RunState } from '../../events.ts';
import type { MetricName } from '../../metrics/metrics.ts';
import type { Origin } from '../origin.ts';

/** The version of the shape of the JSON document. */
export const FLAKE_VERSION = 1;

/** How far runs stray that differ by nothing but their seed: the floor below which no difference means anything. */
export interface FlakeReport {
  readonly origin: Origin;
  /** Runs of all scenarios, each counted once. */
  readonly runs: number;
  /** How often each was made. */
  readonly repeats: number;
  readonly varying: readonly VaryingRun[];
  /** Of metrics that vary at all. */
  readonly noise: readonly MetricNoise[];
}

/** A run whose events depend on its seed. */
export interface VaryingRun {
  readonly scenario: string;
  readonly run: string;
  readonly states: readonly RunState[];
  /** Whether it passed or failed every time. */
  readonly isVerdictStable: boolean;
}

/** How far a metric strays within one run, in its own unit. */
export interface MetricNoise {
  readonly metric: MetricName;
  readonly varyingRuns: number;
  /** Largest less smallest value, of the run where that is most. */
  readonly largestSpread: number;
  /** The same as a share of that run's mean. */
  readonly largestRelativeSpread: number;
  readonly meanDeviation: number;
}
