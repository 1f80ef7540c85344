import type { Limits } from '../../../engine/index.ts';
import type { RunEvent, RunMode } from '../../events.ts';
import type { MissCurve } from '../../metrics/miss-curve.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { Origin } from '../origin.ts';
import type { RunView } from '../saved/run-view.ts';
import type { SawtoothPlot } from '../sawtooth-plot.ts';

/** The version of the shape of the JSON document. */
export const WHAT_IF_VERSION = 3;

/** One session under several windows and models. */
export interface WhatIfReport {
  readonly session: string;
  readonly policy: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly mode: RunMode;
  /** With the settings in force in every variant. */
  readonly origin: Origin;
  readonly variants: readonly VariantResult[];
}

/** What came of the session under one window of one model. */
export interface VariantResult {
  readonly model: string;
  /** As used: smaller than declared in the same proportion as the window is. */
  readonly limits: Limits;
  readonly record: Pick<RunRecord, 'seed' | 'state' | 'reason' | 'metrics'>;
  /** How its context went up and down. */
  readonly plot: SawtoothPlot;
  /** Absent where it was saved, which keeps its plot alone. */
  readonly events?: readonly RunEvent[];
  /** What its requests showed; absent where it did not run, or was saved. */
  readonly view?: RunView;
  /** Absent where the policy has no such curve. */
  readonly curve?: CurveResult;
}

/** How many references are missed for every protect window at once, the pivots of the run standing. */
export interface CurveResult extends MissCurve {
  /** Of the policy's prune. */
  readonly minimumTokens: number;
}

/** What is shown beside the table. */
export interface WhatIfView {
  readonly charts: boolean;
  /** Misses against the protect window. */
  readonly curve?: boolean;
}
