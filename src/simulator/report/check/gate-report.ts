import type { MetricValues } from '../../metrics/metrics.ts';
import type { Gate, GateType } from '../../scenario/gate.ts';

/** Something that a change did which the baseline does not have. */
export type GateFinding =
  /** A run is another than that of the baseline: its events, or what it came to. */
  | {
      readonly kind: 'events';
      readonly scenario: string;
      readonly run: string;
      /** Absent where it happened before the first step. */
      readonly step?: number;
      /** Set where the logs are the same and nobody can say where something else is not. */
      readonly isUnlogged?: true;
      /** The rule of the policy that made the first event that differs. */
      readonly rule: string;
      readonly baseline: string;
      readonly now: string;
      /** Lines of the log before it, oldest first. */
      readonly before: readonly string[];
    }
  /** A number that a gate of the configuration does not let pass. */
  | {
      readonly kind: 'gate';
      /** Absent for a gate over all runs together. */
      readonly scenario?: string;
      readonly run?: string;
      readonly type: GateType;
      readonly metric: string;
      /** Words that follow "expected". */
      readonly expected: string;
      /** Words that follow "got". */
      readonly got: string;
    };

/** Why nothing can be said: what was compared is not comparable, or too much of it has no number. */
export interface Inconclusive {
  readonly reason: string;
}

/** How a check stands against its baseline. */
export interface GateReport {
  /** The folder of the baseline as named. */
  readonly baseline: string;
  /** Why the baseline was last written. */
  readonly reason: string;
  readonly comparedRuns: number;
  /** Runs that a gate asked for a number which is unknown. */
  readonly unscoredRuns: number;
  readonly findings: readonly GateFinding[];
  readonly inconclusive: readonly Inconclusive[];
}

/** One run on both sides. */
export interface HeldRun {
  readonly run: string;
  /** Whether a gate of its own asks for a number that is unknown. */
  readonly isUnscored: boolean;
  /** The metrics of those numbers; absent where there are none. */
  readonly unknownMetrics?: readonly string[];
  /** What gates over all runs are asked of; absent where there is none. */
  readonly numbers?: { readonly baseline: MetricValues; readonly now: MetricValues };
}

/** How one scenario stands against its baseline. */
export interface HeldScenario {
  readonly scenario: string;
  /**
   * The first by name of the scenarios that replay sessions of one family with its own; absent where it stands alone,
   * and where no gate asks.
   */
  readonly family?: string;
  /** Why it cannot be compared; empty where it can. */
  readonly inconclusive: readonly string[];
  readonly findings: readonly GateFinding[];
  /** Those that were compared. */
  readonly runs: readonly HeldRun[];
}

/** What one part of a check came to, before anything is said of the whole. */
export interface GatePart extends Pick<GateReport, 'baseline' | 'reason'> {
  /** Why nothing can be compared at all; empty where it can. */
  readonly mismatches: readonly string[];
  /** What of the baseline was to be checked and was not. */
  readonly missing: readonly string[];
  /** Keys of gates for single runs that no run of this part has. */
  readonly unasked: readonly string[];
  /** Over all runs together. */
  readonly gates: readonly Gate[];
  readonly scenarios: readonly HeldScenario[];
}
