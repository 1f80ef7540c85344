import type { Verdict } from '../../metrics/statistics/verdict.ts';
import type { FactKind } from '../../session/facts.ts';
import type { Origin } from '../origin.ts';
import type { UnreadInput } from '../report.ts';
import type { ArmMetricName } from './arm-metrics.ts';
import type { ProbesReport } from './probes-report.ts';
import type { MissingPivot, SummarizerSettings } from './summary-row.ts';

/** The version of the shape of the JSON document. */
export const SUMMARIZERS_VERSION = 2;

/** Summarizers with prompts, compared on the same sessions. */
export interface SummarizersReport {
  readonly summarizersVersion: typeof SUMMARIZERS_VERSION;
  readonly provenance: SummarizersProvenance;
  readonly arms: readonly ArmReport[];
  /** Of each arm to the base. */
  readonly differences: readonly ArmDifference[];
  /** Absent where nobody was asked. */
  readonly probes?: ProbesReport | undefined;
  readonly unread: readonly UnreadInput[];
}

/** Everything that would have to be the same to get the same numbers. */
export interface SummarizersProvenance {
  readonly origin: Origin;
  readonly scorerVersion: number;
  /** Hash of all that rows share. */
  readonly bench: string;
  readonly policy: string;
  /** Whose tokenizer counts, and whose limits hold where the policy decides. */
  readonly model: string;
  /** How often each session is compacted. */
  readonly pivots: number;
  readonly compactAt: readonly number[] | 'policy';
  readonly seed: number;
  /** How often each session was run under each arm. */
  readonly repeats: number;
  /** Where some were run less often: the least. */
  readonly leastRepeats?: number;
  readonly scenarios: readonly ScenarioProvenance[];
}

/** A session that was used. */
export interface ScenarioProvenance {
  readonly name: string;
  readonly hash: string;
  readonly facts: 'planted' | 'extracted';
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string | undefined;
}

/** A number with its interval; `null` where unknown. */
export interface IntervalEstimate {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How many sessions a number rests on. */
export interface SessionCount {
  /** Sessions in which it is known. */
  readonly sessions: number;
  /** Of how many families they are, each of which counts once; absent where all are independent. */
  readonly families?: number;
}

/** A mean over sessions with its interval. */
export interface MeanEstimate extends IntervalEstimate, SessionCount {}

/** A summarizer with a prompt. */
export interface ArmReport {
  readonly name: string;
  readonly summarizer: string;
  /** What besides its name decides its answers; absent where nothing does. */
  readonly settings?: SummarizerSettings | undefined;
  readonly model: string;
  readonly prompt: string;
  readonly promptHash: string;
  readonly metrics: Readonly<Record<ArmMetricName, MeanEstimate>>;
  /** Share of each kind of facts that the first summary kept. */
  readonly kinds: Readonly<Partial<Record<FactKind, MeanEstimate>>>;
  readonly mustFacts: MustFacts;
  readonly decay: ArmDecay;
  readonly failures: ArmFailures;
}

/** How what is kept falls off over repeated pivots. */
export interface ArmDecay {
  /** Of the summary after each pivot. */
  readonly summary: DecayEstimate;
  /** Of all that the model still sees. */
  readonly view: DecayEstimate;
  /** Of facts in the summary, after Kaplan and Meier, by the pivots that they went through. */
  readonly survival: readonly SurvivalEstimate[];
}

/** Retention after each pivot, and the geometric decay that fits how many facts survive as many pivots. */
export interface DecayEstimate {
  readonly retention: readonly MeanEstimate[];
  /** What each further pivot leaves of what the one before left; facts that were said in between have no part in it. */
  readonly rho: MeanEstimate;
  /** Pivots after which half is left; `null` also where nothing is lost. */
  readonly halfLife: MeanEstimate;
}

/** How likely it is that a fact has survived as many pivots. */
export interface SurvivalEstimate {
  readonly pivots: number;
  /** Means over repetitions and over the sessions of a family, so that they need not be whole. */
  readonly atRisk: number;
  readonly lost: number;
  readonly survival: MeanEstimate;
}

/** Facts that must be kept, over all scored pivots. */
export interface MustFacts {
  readonly of: number;
  readonly dropped: number;
  /**
   * The highest rate of drops that this leaves possible at 95 %, where a family of sessions counts once; `null` where
   * there was none to be kept.
   */
  readonly highestRate: number | null;
}

/** What went wrong, which no score contains. */
export interface ArmFailures {
  readonly trials: number;
  /** Pivots that have a score. */
  readonly pivots: number;
  readonly failed: number;
  readonly unreached: number;
  readonly cut: number;
  /** Summaries that are no shorter than what they stand for. */
  readonly nonCompressing: number;
  readonly empty: number;
  readonly reasons: readonly FailureReason[];
}

/** A reason with how often it occurred. */
export interface FailureReason {
  readonly reason: string;
  readonly state: MissingPivot['state'];
  readonly times: number;
}

/** What an arm has more than the base, on the sessions that both have. */
export interface ArmDifference {
  readonly arm: string;
  readonly base: string;
  readonly metric: ArmMetricName;
  readonly sessions: number;
  readonly difference: MeanEstimate;
  /** Of costs the geometric mean of ratios, by which they are judged. */
  readonly ratio?: MeanEstimate;
  readonly verdict: Verdict;
}
