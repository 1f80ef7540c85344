import type { Condition, ProbeKind } from '../metrics/probes/probe.ts';
import type { Verdict } from '../metrics/statistics/verdict.ts';
import type { FactKind } from '../session/facts.ts';
import type { ArmMetricName, FactSource, MissingPivot, SummarizerSettings } from './arm-metrics.ts';
import type { Origin } from './origin.ts';
import type { UnreadInput } from './report.ts';

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
  readonly facts: FactSource;
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
  /** Settings that decide its answers besides its name; absent where there are none. */
  readonly settings?: SummarizerSettings | undefined;
  readonly model: string;
  readonly prompt: string;
  readonly promptHash: string;
  readonly metrics: Readonly<Record<ArmMetricName, MeanEstimate>>;
  /** Share of each kind of facts that the first summary kept. */
  readonly kinds: Readonly<Partial<Record<FactKind, MeanEstimate>>>;
  readonly mustFacts: MustFacts;
  /** Of facts in the summary, after Kaplan and Meier, by the pivots that they went through. */
  readonly survival: readonly SurvivalEstimate[];
  readonly failures: ArmFailures;
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

/** Failures, which no score contains. */
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

/** The difference of an arm from the base, on the sessions that both have. */
export interface ArmDifference {
  readonly arm: string;
  readonly base: string;
  readonly metric: ArmMetricName;
  readonly sessions: number;
  readonly difference: MeanEstimate;
  /** Of costs the geometric mean of ratios, by which they are judged. */
  readonly ratio?: MeanEstimate;
  /** `unjudged` where the number says nothing of quality. */
  readonly verdict: Verdict | 'unjudged';
}

/** Results of the questions, and who answered them. */
export interface ProbesReport {
  readonly reader: string;
  /** As its provider names it. */
  readonly model?: string;
  /** Arms whose summaries are by a model of the reader's own family, which may know its own ways. */
  readonly ownFamily: readonly string[];
  readonly arms: readonly ArmProbes[];
}

/** Results of the questions after the first pivot of an arm: means over sessions, each with its interval. */
export interface ArmProbes {
  readonly arm: string;
  readonly questions: number;
  /** Why questions have no result. */
  readonly unanswered: readonly { readonly reason: string; readonly times: number }[];
  readonly accuracy: Readonly<Record<Condition, MeanEstimate>>;
  /** Share of what the sessions tell more than nothing that is left; unknown where they told too little more. */
  readonly left: MeanEstimate;
  /** Right by what was asked for, with the whole session and after the pivot. */
  readonly kinds: Readonly<Partial<Record<ProbeKind, KindEstimate>>>;
}

type KindEstimate = Readonly<Record<Exclude<Condition, 'none'>, MeanEstimate>>;

/** The version of the shape of the JSON document. */
export const SUMMARIZERS_VERSION = 3;
