import type { Limits, Policy } from '../../../engine/index.ts';
import type { RunMode, RunState } from '../../events.ts';
import type { MetricValues } from '../../metrics/metrics.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { SettingValue, SettingValues } from '../../scenario/settings.ts';
import type { RecordedModels } from '../recorded-models.ts';
import type { RenderOptions, TokenizerBasis, UnreadInput } from '../report.ts';

/** What a sweep has found, without its rows. */
export interface SweepReport {
  readonly schemaVersion: number;
  readonly provenance: SweepProvenance;
  /** Settings that changed nothing in any run. */
  readonly deadKnobs: readonly string[];
  /** What was varied, in the order of the command line, and what came of it. */
  readonly knobs: readonly Knob[];
  /** In the order of the grid. */
  readonly cells: readonly SweepCell[];
  /** Why runs failed, the most frequent reason first; absent where none did. */
  readonly failures?: readonly SweepFailure[] | undefined;
  readonly unread: readonly UnreadInput[];
}

/** Runs that failed for the same reason. */
export interface SweepFailure {
  readonly reason: string;
  readonly times: number;
  /** The first of them: its session and the id of its cell. */
  readonly session: string;
  readonly cell: string;
}

/** Something that was varied. */
export interface Knob {
  readonly key: string;
  readonly values: readonly SettingValue[];
  readonly effect: KnobEffect;
}

/**
 * What varying it did: `some`; `none`, although a run might read it; `unread`, for no run can, so that its
 * cells were run once; `unknown`, where no two runs could be compared or there is one value.
 */
export type KnobEffect = 'some' | 'none' | 'unread' | 'unknown';

/** One point of a sweep, over all sessions and trials. */
export interface SweepCell {
  readonly id: string;
  /** What was set in it. */
  readonly settings: SettingValues;
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  /** What was varied, as it is in this cell. */
  readonly values: readonly SettingValue[];
  readonly runs: number;
  readonly completedRuns: number;
  /** Those that broke, or broke a law; others may have ended early for a reason of their own. */
  readonly failedRuns: number;
  /** How many ended in each other state than `completed`; absent where none did. */
  readonly endedEarly?: Readonly<Partial<Record<RunState, number>>> | undefined;
  /** Sums over completed runs. */
  readonly metrics: MetricValues;
  /** Index of the first cell with the same events in all runs; absent where this is the first. */
  readonly sameAs?: number;
}

/** The shard of a sweep in one piece. */
export const WHOLE = '1/1';

/** Everything that would have to be the same to get the same numbers. No clock time, no machine path. */
export interface SweepProvenance {
  readonly version: string;
  /** Which sweep it is. */
  readonly sweep: string;
  /** `WHOLE` where it is in one piece. */
  readonly shard: string;
  readonly mode: RunMode;
  /** In this shard. */
  readonly sessions: number;
  readonly skippedSessions: number;
  /** Those that begin with messages of another one. */
  readonly sharingSessions: number;
  /** What those that are run were recorded with; absent of sweeps that did not note it. */
  readonly recorded?: RecordedModels | undefined;
  readonly seeds: readonly number[];
  readonly catalog: { readonly source: string; readonly hash: string };
  /** What counted the tokens of each model. */
  readonly tokenizers: Readonly<Record<string, TokenizerBasis>>;
  /** By id of the cell, as resolved. */
  readonly cells: Readonly<Record<string, ResolvedCell>>;
}

/** What a cell came to when everything was looked up and applied. */
export interface ResolvedCell {
  readonly policy: Policy;
  readonly limits: Limits;
}

/** One session in one cell, as formats need it. */
export interface SweepRow extends RunRecord {
  readonly cell: string;
  readonly settings: SettingValues;
}

/** One way to write the report of a sweep down: in pieces, for its rows may be more than memory holds. */
export interface SweepFormat {
  readonly extension: string;
  readonly describes: string;
  render(report: SweepReport, rows: Iterable<SweepRow>, options: RenderOptions): Iterable<string>;
}
