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
  /** Tokens of all tool outputs. */
  readonly toolOutputTokens: Distribution | null;
  /** By name, most frequent first. */
  readonly tools: Readonly<Record<string, ToolStatistics>>;
  /** Consecutive tools, most frequent first. */
  readonly transitions: readonly Transition[];
  readonly perTurn: TurnStatistics;
  readonly perSession: SessionStatistics;
  readonly perStep: StepStatistics;
  /** Tokens of single texts; empty ones are left out. */
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
  /** Share of tool output in a session, over sessions with at least five outputs. */
  readonly toolOutputShare: Distribution | null;
}

/** Calls of one tool. */
export interface ToolStatistics {
  readonly calls: number;
  /** Calls with an output. */
  readonly outputs: number;
  readonly callShare: number;
  /** Share in the output tokens of all tools. */
  readonly outputShare: number;
  /** Share of its outputs that are errors; `null` without outputs. */
  readonly errorRate: number | null;
  /** Share of outputs identical to an earlier one of the session; `null` without outputs. */
  readonly duplicateRate: number | null;
  readonly outputTokens: Distribution | null;
  readonly argumentTokens: Distribution | null;
}

/** The frequency of one tool after another. */
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

/** Whole sessions; recorded figures cover sessions with usage. */
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
  /** Share of input read from the prompt cache, over sessions that record it. */
  readonly recordedCacheReadShare: Distribution | null;
}

/** Model requests. */
interface StepStatistics {
  /** Calls in a step, over steps with calls. */
  readonly parallelCalls: Distribution | null;
  /** Steps by the number of their calls. */
  readonly stepsByCalls: Readonly<Record<string, number>>;
  /** Growth of the context per step, where it grew and no compaction lay between. */
  readonly recordedGrowthTokens: Distribution | null;
  /** Share of steps whose context shrank without a compaction. */
  readonly shrankShare: number | null;
  /** Only where the recorded count is final. */
  readonly recordedOutputTokens: Distribution | null;
}

/** Time between messages. Recordings have no times of tool results. */
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
  /** Content tokens since the last touch of the file. */
  readonly rereadTokens: Distribution | null;
  readonly changeTokens: Distribution | null;
  /** Share of a session's reads that read a file again. */
  readonly rereadShare: Distribution | null;
  /** Share of a session's output tokens that repeat an earlier output; short ones are left out. */
  readonly duplicateShare: Distribution | null;
}

/** Compactions by the recording agents. */
interface CompactionStatistics {
  readonly sessionsWithOne: number;
  readonly full: number;
  readonly micro: number;
  readonly automatic: number;
  /** Full compactions of a session. */
  readonly perSession: Distribution | null;
  /** Before full compactions. */
  readonly recordedTokensBefore: Distribution | null;
  /** Context of the first step after a full compaction. */
  readonly recordedTokensAfter: Distribution | null;
  readonly summaryTokens: Distribution | null;
  /** Since the previous full compaction, or the start. */
  readonly stepsBefore: Distribution | null;
  readonly toolOutputsBefore: Distribution | null;
  /** Tokens freed by clearing outputs. */
  readonly recordedTokensCleared: Distribution | null;
}

/** Characters that make a token. */
interface CharactersPerTokenStatistics {
  /** `null` without recorded growth and without a tokenizer. */
  readonly all: CharactersPerToken | null;
  readonly byTool: Readonly<Record<string, CharactersPerToken>>;
  /** By the script of most letters. */
  readonly byScript: Readonly<Partial<Record<Script, CharactersPerToken>>>;
}

/** Characters per token, with the evidence. */
export interface CharactersPerToken {
  /** `measured` on recorded growth, or `estimated` by the named tokenizer. */
  readonly evidence: Evidence;
  /** Number of steps or texts. */
  readonly n: number;
  /** The slope of characters over tokens; if estimated, all characters divided by all tokens. */
  readonly ratio: number;
  /** Tokens of a step besides its characters; only if measured. */
  readonly fixedTokens: number | null;
}

/** A distribution of numbers; quantiles are interpolated linearly (R's type 7, NumPy's default). */
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

/** Quantiles of a distribution by name. */
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

/** The distribution of some numbers; `null` if there are none. */
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
