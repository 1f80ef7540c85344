import type { ProbeResult } from '../../metrics/probes/ask-probes.ts';
import type { QualityValues } from '../../metrics/quality/quality-metrics.ts';
import type { FactKind } from '../../session/facts.ts';

/** Changes whenever rows of before mean something else. */
export const SUMMARY_ROW_VERSION = 2;

/** One summarizer with one prompt on one session, once. It holds sizes, hashes and numbers, never texts. */
export interface SummaryRow {
  readonly rowVersion: typeof SUMMARY_ROW_VERSION;
  readonly scorerVersion: number;
  /** Hash of all that rows have to share: policy, number and places of pivots, tokenizer, seed. */
  readonly bench: string;
  /** What that is the hash of; absent in rows that do not tell. */
  readonly conditions?: BenchConditions | undefined;
  readonly scenario: string;
  /** Hash of its messages and facts. */
  readonly scenarioHash: string;
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string | undefined;
  /** Whether the session says by itself what is to be kept, or it was taken from its texts. */
  readonly facts: 'planted' | 'extracted';
  readonly summarizer: string;
  /** What besides its name decides its answers; absent where nothing does. */
  readonly settings?: SummarizerSettings | undefined;
  /** As the provider named what answered; the summarizer itself where none did. */
  readonly model: string;
  readonly prompt: string;
  readonly promptHash: string;
  /** From 1. */
  readonly repeat: number;
  /** Whether repetitions may differ; where not, they are no further evidence. */
  readonly isRandom: boolean;
  /** The pivots that could be scored, in order. */
  readonly pivots: readonly PivotScore[];
  /** Facts that went through one pivot, two pivots, and so on, and those that the summary lost there. */
  readonly survival: readonly SurvivalCount[];
  /** The same of the view; absent in rows that do not tell. */
  readonly viewSurvival?: readonly SurvivalCount[] | undefined;
  /** Who answered questions, and who judged; absent where nobody was asked. */
  readonly reader?: string | undefined;
  /** Hash of all that reader and judges are told beside the session. */
  readonly questions?: string | undefined;
  /** What questions after the first pivot came to. */
  readonly probes?: readonly ProbeResult[] | undefined;
  /** Why questions have no result, one reason each; they are in no score. */
  readonly unanswered?: readonly string[] | undefined;
  /** The model behind each reader and judge that has one, as its provider names it. */
  readonly readerModels?: Readonly<Record<string, string>> | undefined;
  /** Why there are fewer than were wanted; absent where there are not. */
  readonly missing?: MissingPivot | undefined;
}

/** What rows of a comparison are made under, each as a short text: a number, a name or a hash. */
export interface BenchConditions {
  readonly policy: string;
  /** With its limits; absent where it decides nothing, since the places are given. */
  readonly model?: string | undefined;
  readonly pivots: string;
  readonly places: string;
  readonly tokenizer: string;
  readonly seed: string;
}

/** What besides a summarizer's name decides its answers. */
export type SummarizerSettings = Readonly<Record<string, string | number | boolean>>;

/** Facts that went through as many pivots, and how many of them were lost in the last one. */
export interface SurvivalCount {
  readonly atRisk: number;
  readonly lost: number;
}

/** Why a pivot has no score. */
export interface MissingPivot {
  /** Which one, from 1. */
  readonly pivot: number;
  /**
   * `failed`: the summarizer or a guard let it down. `broken`: it could not even be asked, as without a budget.
   * `unreached`: the session ended before.
   */
  readonly state: 'failed' | 'broken' | 'unreached';
  readonly reason: string;
  /** Whether nobody answered, which may be otherwise another time; no such row is kept. */
  readonly isUnanswered?: true;
}

/** What a pivot left. */
export interface PivotScore {
  readonly summary: QualityValues;
  /** The same numbers of all that the model still sees. */
  readonly view: QualityValues;
  /** Shares kept by the summary, by kind of fact. */
  readonly kinds: Readonly<Partial<Record<FactKind, number | null>>>;
  readonly mustFacts: number;
  readonly mustDropped: number;
  readonly headTokens: number;
  readonly summaryTokens: number;
  readonly viewTokens: number;
  /** Requests that were needed. */
  readonly calls: number;
  /** Absent where nothing tells, which is not 0. */
  readonly costNanoUsd?: number | undefined;
  readonly latencyMs?: number | undefined;
  /** Whether the answer ended because it was too long. */
  readonly isCut: boolean;
}
