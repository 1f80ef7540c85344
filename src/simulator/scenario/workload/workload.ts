/** Workloads: descriptions of the sessions of an agent, from which a generator draws. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import type { Immutable } from '../../lib/json.ts';
import { named } from '../../lib/names.ts';

const SHIPPED = new URL('../../../../workloads/', import.meta.url);

/** Figures for which a source gives a mean or quantiles, but no sessions. */
const PUBLISHED_NUMBERS = [
  'requestsPerSession',
  'toolStepsPerSession',
  'callsPerSession',
  'toolStepsPerRequest',
  'callsPerRequest',
  'callsPerStep',
  'prefixTokens',
  'appendedTokens',
  'outputTokens',
  'growthTokens',
  'secondsBeforeUser',
  'compactionsWhereAny',
] as const;

/** Figures that a source gives as a share, in percent. */
const PUBLISHED_SHARES = [
  'compactingSessions',
  'compactionsAmongTools',
  'shrinkingSteps',
  'cacheRead',
  'cacheReadBehindUser',
  'cacheReadBehindTools',
  'waitsUpToFiveMinutes',
  'waitsUpToAnHour',
  'spentOnPrefix',
  'spentOnAppended',
  'spentOnOutput',
] as const;

const PUBLISHED_STATISTICS = ['mean', 'p25', 'p50', 'p90', 'p99'] as const;

/** Figures that nothing is drawn from. */
export const CHECKED_FIGURES = [
  'toolOutputTokens',
  'stepsPerTurn',
  'contentTokensPerTurn',
  'outputsPerSession',
  'stepsPerSession',
  'contentTokensPerSession',
  'maxContextTokens',
  'growthTokens',
  'outputTokensPerStep',
  'compactionsPerSession',
  'cacheReadPercent',
  'repeatedReadPercent',
  'duplicateOutputPercent',
] as const;

/** Banks of planted sentences: one that summarizers and scores are developed on, the default, and one in English that they are not. */
export const BANKS = ['development', 'evaluation'] as const;

const Share = z.number().min(0).max(1);
const Weight = z.number().min(0);
const Weights = z.record(z.string(), Weight);
const Count = z.int().min(0);

const Spread = z.strictObject({
  /** Observed numbers; absent where that was not published. */
  n: Count.exactOptional(),
  /** Values by the share of numbers not above them, the lowest share first. */
  points: z.array(z.tuple([Share, Weight])).min(1),
  /** Curve between two points: values rise evenly at 1 (the default), later above it. */
  bend: z.number().positive().exactOptional(),
});

const SessionShape = z.strictObject({
  /** Name shared by sessions with the same beginning; absent for a session of its own. */
  family: z.string().exactOptional(),
  callsOfTurns: z.array(Count).min(1),
  steps: z.int().min(1),
  /** Tokens of prompts, texts, calls and outputs. */
  contentTokens: Weight.exactOptional(),
  /** Tokens of the first step, as the provider counted them. */
  firstStepTokens: Weight.exactOptional(),
  /** Mean growth of the context per step, without compactions and other shrinking. */
  stepGrowthTokens: z.number().exactOptional(),
  /** Share of reads that are of files read before. */
  rereadShare: Share.exactOptional(),
  compactAtTokens: Weight.exactOptional(),
  /** Share of steps whose context is smaller than before without a compaction. */
  shrinkingShare: Share.exactOptional(),
  /** Compactions of the recording agent that replaced its history. */
  compactions: Count.exactOptional(),
  /** Hits of each of `HIT_THRESHOLDS`. */
  thresholdHits: z.array(Count).exactOptional(),
});

const AgentStyle = z.strictObject({
  /** `provider/model` of all steps. */
  model: z.string(),
  /** Argument names of tools that touch files; `description` stands beside a command. */
  keys: z.strictObject({
    path: z.string(),
    before: z.string(),
    after: z.string(),
    command: z.string(),
    description: z.string().exactOptional(),
    patch: z.string(),
  }),
  /** Usage of new tokens: all written to the cache, or cached automatically. */
  cache: z.enum(['written', 'automatic']),
  hasAbsolutePaths: z.boolean(),
});

const Tool = z.strictObject({
  share: Share,
  errorRate: Share,
  /** Share of calls that repeat an earlier one, with the same output. */
  repeatRate: Share,
  outputTokens: Spread,
  argumentTokens: Spread,
});

const Texts = z.strictObject({
  userTokens: Spread,
  assistantTokens: Spread,
  reasoningTokens: Spread,
  summaryTokens: Spread,
  /** Share of steps with calls that also have text; steps without calls always have text. */
  textShare: Share,
  reasoningShare: Share,
});

const Context = z.strictObject({
  /** System prompt, tools and the first prompt. */
  firstStepTokens: Spread,
  charactersPerToken: z.number().positive(),
  /** Cost of a step besides its characters. */
  fixedTokens: z.number(),
  /** Reported output beyond texts and arguments: hidden reasoning. */
  unseenTokens: Spread,
  compactAtTokens: Spread,
  compactedTokens: Spread,
  /** Shrinking of a context without a compaction; absent where unknown. */
  takenBackTokens: Spread.exactOptional(),
  /** Life of a cached prompt that is not read; absent: as providers say. */
  cacheSeconds: z.number().positive().exactOptional(),
});

export const LANGUAGES = ['english', 'german', 'russian', 'chinese', 'japanese'] as const;

const Planting = z.strictObject({
  /** Facts per 1,000 tokens of content. */
  factsPerKilotoken: Weight.exactOptional(),
  /** Mentions of each fact, where there is room. */
  mentions: z.int().min(1).exactOptional(),
  /** Controls per fact that can be guessed without the session. */
  guessablesPerFact: Weight.exactOptional(),
  /** Things per fact that look like facts and are none. */
  distractorsPerFact: Weight.exactOptional(),
  /** Orders per session, in tool outputs, to leave a fact out of the summary; none if absent. */
  injections: Count.exactOptional(),
});

/** Range of a published figure; both ends are equal where the source gives one number. */
const range = {
  low: z.number(),
  high: z.number(),
  /** Distance outside that is still near enough (evaluation design, section 9.7); absent: none. */
  tolerance: z.number().min(0).exactOptional(),
};
const PublishedRange = z.strictObject(range);
const Published = z.union([
  z.strictObject({
    figure: z.enum(PUBLISHED_NUMBERS),
    statistic: z.enum(PUBLISHED_STATISTICS),
    ...range,
  }),
  z.strictObject({ figure: z.enum(PUBLISHED_SHARES), ...range }),
]);

/** The schema of a workload file. Sizes are in tokens of four characters. */
export const WorkloadFile = z.strictObject({
  name: z.string(),
  describes: z.string(),
  source: z.string(),
  style: AgentStyle,
  /** Whole sessions, the shortest first; absent where only single figures are known, which are drawn one by one. */
  sessions: z.array(SessionShape).min(1).exactOptional(),
  turnsPerSession: Spread,
  callsPerTurn: Spread,
  /** Weights of numbers of calls in steps that have any. */
  callsPerStep: Weights,
  tools: z.record(z.string(), Tool),
  /** Weights of the tool that follows each tool. */
  transitions: z.record(z.string(), Weights),
  texts: Texts,
  gapsSeconds: z.strictObject({ beforeUser: Spread, model: Spread, toolsAndModel: Spread }),
  reuse: z.strictObject({
    /** Share of a session's reads that are of files read before. */
    rereadShare: Spread,
    /** Content since a file was last touched. */
    rereadTokens: Spread,
    changeTokens: Spread,
  }),
  context: Context,
  languages: z.partialRecord(z.enum(LANGUAGES), Weight),
  bank: z.enum(BANKS).exactOptional(),
  planting: Planting.exactOptional(),
  /** Figures that follow from the others, for the report on how near sessions come. */
  checks: z.partialRecord(z.enum(CHECKED_FIGURES), Spread),
  /** Single figures of the source; absent where it has whole distributions. */
  published: z.array(Published).exactOptional(),
});

/** A description of the sessions of an agent: all that a generator draws from. */
export type Workload = Immutable<z.infer<typeof WorkloadFile>>;
/** A distribution of numbers, as values by cumulative share. */
export type Spread = Immutable<z.infer<typeof Spread>>;
/** Figures of one session that depend on each other and are drawn together; absent ones were not recorded. */
export type SessionShape = Immutable<z.infer<typeof SessionShape>>;
export type AgentStyle = Workload['style'];
export type ToolShape = Workload['tools'][string];
/** Facts and things like facts that sessions state; absent numbers are the defaults. */
export type PlantingShape = Immutable<z.infer<typeof Planting>>;
export type Bank = (typeof BANKS)[number];
export type Language = (typeof LANGUAGES)[number];
export type CheckedFigure = (typeof CHECKED_FIGURES)[number];
export type PublishedNumber = (typeof PUBLISHED_NUMBERS)[number];
export type PublishedShare = (typeof PUBLISHED_SHARES)[number];
export type PublishedStatistic = (typeof PUBLISHED_STATISTICS)[number];
export type PublishedRange = Immutable<z.infer<typeof PublishedRange>>;
/** A figure as its source gives it: a statistic of numbers, or a share. */
export type Published = Immutable<z.infer<typeof Published>>;

export const workloads = {
  'claude-code': () => readWorkload('claude-code'),
  codex: () => readWorkload('codex'),
  pi: () => readWorkload('pi'),
  opencode: () => readWorkload('opencode'),
  tracelab: () => readWorkload('tracelab'),
} satisfies Record<string, () => Workload>;

export function findWorkload(name: string): Workload {
  return named('workload', workloads, name)();
}

/** Words and sentences that come with the package, read when they are first asked for. */
export function shippedTexts<Texts>(name: string, schema: z.ZodType<Texts>): () => Texts {
  let texts: Texts | undefined;
  return () => (texts ??= readShipped(`texts/${name}`, schema));
}

function readWorkload(name: string) {
  return readShipped(name, WorkloadFile);
}

function readShipped<Value>(name: string, schema: z.ZodType<Value>) {
  try {
    const json: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, SHIPPED), 'utf8'));
    return schema.parse(json);
  } catch (error) {
    const message = `Expected the workload '${name}' to come with the package, got none that can be read.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}
