import { quantileSorted } from 'simple-statistics';
import type { Evidence } from '../../events.ts';
import { sum } from '../../lib/collections.ts';
import type { ContentKind, Script, TextKind } from './sample.ts';

/**
 * Statistics of sessions, as sizes only; generators imitate them. A distribution is `null` where nothing was observed. Content
 * tokens are the estimator's; recorded tokens come from providers.
 */
export interface WorkloadStatistics {
  readonly sessions: number;
  readonly content: ContentStatistics;
  /** Outputs of all tools, in tokens. */
  readonly toolOutputTokens: Distribution | null;
  /** By name, the most called first. */
  readonly tools: Readonly<Record<string, ToolStatistics>>;
  /** Which tool was called after which in a session, the most frequent first. */
  readonly transitions: readonly Transition[];
  readonly perTurn: TurnStatistics;
  readonly perSession: SessionStatistics;
  readonly perStep: StepStatistics;
  /** Sizes of single texts in tokens, empty ones left out. */
  readonly textTokens: Readonly<Record<TextKind, Distribution | null>>;
  readonly gapsSeconds: GapStatistics;
  readonly reuse: ReuseStatistics;
  readonly compactions: CompactionStatistics;
  readonly charactersPerToken: CharactersPerTokenStatistics;
}

/** The composition of content. */
interface ContentStatistics {
  readonly tokens: number;
  readonly tokensByKind: Readonly<Record<ContentKind, number>>;
  /** Share of tool output in the content of a session, over those with at least five outputs. */
  readonly toolOutputShare: Distribution | null;
}

/** Calls of one tool. */
export interface ToolStatistics {
  readonly calls: number;
  /** Calls that something came back from. */
  readonly outputs: number;
  readonly callShare: number;
  /** Share in the output tokens of all tools. */
  readonly outputShare: number;
  /** Share of its outputs that are errors; `null` without outputs. */
  readonly errorRate: number | null;
  /** Share of its outputs that repeat an earlier one of the session to the letter; `null` without outputs. */
  readonly duplicateRate: number | null;
  readonly outputTokens: Distribution | null;
  readonly argumentTokens: Distribution | null;
}

/** How often a call of one tool followed a call of another. */
interface Transition {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Sizes of a turn. */
interface TurnStatistics {
  readonly contentTokens: Distribution | null;
  readonly toolOutputTokens: Distribution | null;
  readonly toolCalls: Distribution | null;
  readonly steps: Distribution | null;
}

/** Whole sessions; the recorded figures over those that hold usage. */
interface SessionStatistics {
  readonly messages: Distribution | null;
  readonly turns: Distribution | null;
  readonly steps: Distribution | null;
  readonly toolOutputs: Distribution | null;
  readonly contentTokens: Distribution | null;
  readonly recordedSteps: Distribution | null;
  readonly recordedMaxContextTokens: Distribution | null;
  /** System prompt, tools and the first prompt. */
  readonly recordedFirstStepTokens: Distribution | null;
  /** Share of all input that was read from the prompt cache, over those that tell it. */
  readonly recordedCacheReadShare: Distribution | null;
}

/** Model requests. */
interface StepStatistics {
  /** Calls in a step, over steps with calls. */
  readonly parallelCalls: Distribution | null;
  /** Steps by the number of their calls. */
  readonly stepsByCalls: Readonly<Record<string, number>>;
  /** Growth of the context since the step before, where it grew and no compaction lay between. */
  readonly recordedGrowthTokens: Distribution | null;
  /** Share of steps whose context shrank without a compaction. */
  readonly shrankShare: number | null;
  /** Where the recorded count is the final one. */
  readonly recordedOutputTokens: Distribution | null;
}

/** Time from message to message. Recordings date messages, not the results of tools. */
interface GapStatistics {
  /** From the last message to the next prompt. */
  readonly beforeUser: Distribution | null;
  /** From a prompt to its first step: the model alone. */
  readonly model: Distribution | null;
  /** From a step with calls to the next step: its tools, then the model. */
  readonly toolsAndModel: Distribution | null;
}

/** Repeated reads and outputs. */
interface ReuseStatistics {
  /** Tokens of content since the same file was last touched. */
  readonly rereadTokens: Distribution | null;
  readonly changeTokens: Distribution | null;
  /** Share of the reads of a session that read a file which was read before. */
  readonly rereadShare: Distribution | null;
  /** Share of the output tokens of a session that repeat an earlier output to the letter, short ones left out. */
  readonly duplicateShare: Distribution | null;
}

/** Compactions of the recording agents. */
interface CompactionStatistics {
  readonly sessionsWithOne: number;
  readonly full: number;
  readonly micro: number;
  readonly automatic: number;
  /** Full ones of a session. */
  readonly perSession: Distribution | null;
  /** Of full ones. */
  readonly recordedTokensBefore: Distribution | null;
  /** Context of the first step behind a full one. */
  readonly recordedTokensAfter: Distribution | null;
  readonly summaryTokens: Distribution | null;
  /** Since the full one before, or the start. */
  readonly stepsBefore: Distribution | null;
  readonly toolOutputsBefore: Distribution | null;
  /** Tokens freed by clearing outputs. */
  readonly recordedTokensCleared: Distribution | null;
}

/** Characters that make a token. */
interface CharactersPerTokenStatistics {
  /** `null` where neither recorded growth nor a tokenizer tells. */
  readonly all: CharactersPerToken | null;
  readonly byTool: Readonly<Record<string, CharactersPerToken>>;
  /** By the script of most letters of a text. */
  readonly byScript: Readonly<Partial<Record<Script, CharactersPerToken>>>;
}

/** Characters per token, and what that rests on. */
export interface CharactersPerToken {
  /** `measured` on the growth of recorded contexts; `estimated` by the tokenizer that was named. */
  readonly evidence: Evidence;
  /** Steps, or texts, that it rests on. */
  readonly n: number;
  /** The slope of characters over tokens; where it is estimated, all characters by all tokens. */
  readonly ratio: number;
  /** Tokens that a step costs besides its characters; only where measured. */
  readonly fixedTokens: number | null;
}

/** How numbers spread; quantiles lie between two numbers in proportion (R's type 7, NumPy's default). */
export interface Distribution {
  readonly n: number;
  readonly mean: number;
  readonly min: number;
  readonly p10: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Shares at which a distribution is told, by the name of their quantile. */
export const QUANTILES = {
  min: 0,
  p10: 0.1,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  max: 1,
} as const satisfies Partial<Record<keyof Distribution, number>>;

/** The spread of some numbers; `null` where there are none. */
export function distribute(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => quantileSorted(sorted, share);
  return {
    n: values.length,
    mean: sum(values) / values.length,
    min: at(QUANTILES.min),
    p10: at(QUANTILES.p10),
    p25: at(QUANTILES.p25),
    p50: at(QUANTILES.p50),
    p75: at(QUANTILES.p75),
    p90: at(QUANTILES.p90),
    p95: at(QUANTILES.p95),
    p99: at(QUANTILES.p99),
    max: at(QUANTILES.max),
  };
}
