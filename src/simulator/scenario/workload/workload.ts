import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import { named } from '../../lib/names.ts';
import type { Spread } from './draw.ts';
import type { SessionShape } from './session-shape.ts';

/** What the sessions of one agent, or of one's own, are like: all that a generator draws from. Sizes are in tokens of four characters. */
export interface Workload {
  readonly name: string;
  readonly describes: string;
  readonly source: string;
  readonly style: AgentStyle;
  /** Whole sessions, the shortest first; absent where only figures one by one are known, which are drawn apart then. */
  readonly sessions?: readonly SessionShape[];
  readonly turnsPerSession: Spread;
  readonly callsPerTurn: Spread;
  /** How often a step with calls has how many. */
  readonly callsPerStep: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, ToolShape>>;
  /** How often which tool follows which. */
  readonly transitions: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly texts: TextShapes;
  readonly gapsSeconds: GapShapes;
  readonly reuse: ReuseShape;
  readonly context: ContextShape;
  /** How often people and models write in which language. */
  readonly languages: Readonly<Partial<Record<Language, number>>>;
  /** What facts sessions say; absent: as usual. */
  readonly planting?: PlantingShape;
  /** Figures that follow from the others, for the report on how near sessions come. */
  readonly checks: Readonly<Partial<Record<CheckedFigure, Spread>>>;
  /** Single figures that the source gives, drawn from or not; absent where it has whole distributions. */
  readonly published?: readonly Published[];
}

/** How many facts sessions say, and what else that is like facts; what is absent is as usual. */
export interface PlantingShape {
  /** For each 1,000 tokens of content. */
  readonly factsPerKilotoken?: number;
  /** How often each is said, where there is room. */
  readonly mentions?: number;
  /** Controls that one may know without the session, for each fact. */
  readonly guessablesPerFact?: number;
  /** Things like facts that are none, for each fact. */
  readonly distractorsPerFact?: number;
  /** Orders in outputs of tools to leave a fact out of the summary, in each session; none if absent. */
  readonly injections?: number;
}

/** A language that prose is written in. */
export type Language = 'english' | 'german' | 'russian' | 'chinese' | 'japanese';

/** How an agent's calls look. */
export interface AgentStyle {
  /** `provider/model` of all steps. */
  readonly model: string;
  /** Names of the arguments of tools that touch files. */
  readonly keys: ArgumentKeys;
  /** What stands before a line of a file that is read: its number and an arrow or a bar, or nothing. */
  readonly lines: 'arrow' | 'bar' | 'plain';
  /** How outputs of the shell begin. */
  readonly shell: 'bare' | 'headed';
  /** How usage splits: all that is new is written to the cache, or the cache works by itself. */
  readonly cache: 'written' | 'automatic';
  /** Whether paths in arguments are absolute. */
  readonly hasAbsolutePaths: boolean;
}

/** Names of arguments. */
export interface ArgumentKeys {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly command: string;
  /** Of a sentence beside a command; absent where there is none. */
  readonly description?: string;
  readonly patch: string;
}

/** Calls of one tool. */
export interface ToolShape {
  readonly share: number;
  readonly errorRate: number;
  /** Share of calls that repeat an earlier one, with the same output. */
  readonly repeatRate: number;
  readonly outputTokens: Spread;
  readonly argumentTokens: Spread;
}

/** Texts, and how often steps have them. */
export interface TextShapes {
  readonly userTokens: Spread;
  readonly assistantTokens: Spread;
  readonly reasoningTokens: Spread;
  readonly summaryTokens: Spread;
  /** Share of steps with calls that also have text; one without calls always has. */
  readonly textShare: number;
  readonly reasoningShare: number;
}

/** Time from message to message. */
export interface GapShapes {
  readonly beforeUser: Spread;
  readonly model: Spread;
  readonly toolsAndModel: Spread;
}

/** What is read and changed again. */
export interface ReuseShape {
  /** Share of the reads of a session that are of files that were read before. */
  readonly rereadShare: Spread;
  /** Content since a file was last touched. */
  readonly rereadTokens: Spread;
  readonly changeTokens: Spread;
}

/** The context as a provider counts it. */
export interface ContextShape {
  /** System prompt, tools and the first prompt. */
  readonly firstStepTokens: Spread;
  readonly charactersPerToken: number;
  /** What a step costs besides its characters. */
  readonly fixedTokens: number;
  /** What a step reports to have written beyond its texts and arguments: thoughts that nobody is shown. */
  readonly unseenTokens: Spread;
  /** Contexts at which the agent compacts. */
  readonly compactAtTokens: Spread;
  readonly compactedTokens: Spread;
  /** By how much a context shrinks where nobody compacted; absent where that is not known. */
  readonly takenBackTokens?: Spread;
  /** How long a cached prompt stays without being read; absent: as long as providers say. */
  readonly cacheSeconds?: number;
}

/** The name of a figure that nothing is drawn from. */
export type CheckedFigure = (typeof CHECKED_FIGURES)[number];

/** The name of a figure of numbers. */
export type PublishedNumber = (typeof PUBLISHED_NUMBERS)[number];

/** The name of a share. */
export type PublishedShare = (typeof PUBLISHED_SHARES)[number];

/** The name of a mean or a quantile. */
export type PublishedStatistic = (typeof PUBLISHED_STATISTICS)[number];

/** Where a published figure lies; both ends are the same where the source gives one number. */
export interface PublishedRange {
  readonly low: number;
  readonly high: number;
  /** How far outside is near enough by the evaluation design, section 9.7; absent: not at all. */
  readonly tolerance?: number;
}

/** A figure as its source gives it: of numbers a statistic, of shares the share. */
export type Published = PublishedRange &
  (
    | { readonly figure: PublishedNumber; readonly statistic: PublishedStatistic }
    | { readonly figure: PublishedShare }
  );

/** Names of figures that nothing is drawn from. */
const CHECKED_FIGURES = [
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

/** Figures of which a source gives a mean or quantiles, but no sessions. */
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

/** Figures that a source gives as a share of something, in percent. */
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

/** What is told of numbers. */
const PUBLISHED_STATISTICS = ['mean', 'p25', 'p50', 'p90', 'p99'] as const;

const Share = z.number().min(0).max(1);
const Weight = z.number().min(0);
const Weights = z.record(z.string(), Weight);

const SpreadValue = z.strictObject({
  n: z.int().min(0).exactOptional(),
  points: z.array(z.tuple([Share, Weight]).readonly()).min(1),
  bend: z.number().positive().exactOptional(),
});

const Style = z.strictObject({
  model: z.string(),
  keys: z.strictObject({
    path: z.string(),
    before: z.string(),
    after: z.string(),
    command: z.string(),
    description: z.string().exactOptional(),
    patch: z.string(),
  }),
  lines: z.enum(['arrow', 'bar', 'plain']),
  shell: z.enum(['bare', 'headed']),
  cache: z.enum(['written', 'automatic']),
  hasAbsolutePaths: z.boolean(),
});

const Tool = z.strictObject({
  share: Share,
  errorRate: Share,
  repeatRate: Share,
  outputTokens: SpreadValue,
  argumentTokens: SpreadValue,
});

const Texts = z.strictObject({
  userTokens: SpreadValue,
  assistantTokens: SpreadValue,
  reasoningTokens: SpreadValue,
  summaryTokens: SpreadValue,
  textShare: Share,
  reasoningShare: Share,
});

const Languages = z.strictObject({
  english: Weight.exactOptional(),
  german: Weight.exactOptional(),
  russian: Weight.exactOptional(),
  chinese: Weight.exactOptional(),
  japanese: Weight.exactOptional(),
});

const Planting = z.strictObject({
  factsPerKilotoken: Weight.exactOptional(),
  mentions: z.int().min(1).exactOptional(),
  guessablesPerFact: Weight.exactOptional(),
  distractorsPerFact: Weight.exactOptional(),
  injections: z.int().min(0).exactOptional(),
});

const Count = z.int().min(0);

const Shape = z.strictObject({
  family: z.string().exactOptional(),
  callsOfTurns: z.array(Count).min(1),
  steps: z.int().min(1),
  contentTokens: Weight.exactOptional(),
  firstStepTokens: Weight.exactOptional(),
  stepGrowthTokens: z.number().exactOptional(),
  rereadShare: Share.exactOptional(),
  compactAtTokens: Weight.exactOptional(),
  shrinkingShare: Share.exactOptional(),
  compactions: Count.exactOptional(),
  thresholdHits: z.array(Count).exactOptional(),
});

const range = {
  low: z.number(),
  high: z.number(),
  tolerance: z.number().min(0).exactOptional(),
};
const PublishedFigure = z.union([
  z.strictObject({
    figure: z.enum(PUBLISHED_NUMBERS),
    statistic: z.enum(PUBLISHED_STATISTICS),
    ...range,
  }),
  z.strictObject({ figure: z.enum(PUBLISHED_SHARES), ...range }),
]);

/** A workload as it stands in a file. */
export const WorkloadFile = z.strictObject({
  name: z.string(),
  describes: z.string(),
  source: z.string(),
  style: Style,
  sessions: z.array(Shape).min(1).exactOptional(),
  turnsPerSession: SpreadValue,
  callsPerTurn: SpreadValue,
  callsPerStep: Weights,
  tools: z.record(z.string(), Tool),
  transitions: z.record(z.string(), Weights),
  texts: Texts,
  gapsSeconds: z.strictObject({
    beforeUser: SpreadValue,
    model: SpreadValue,
    toolsAndModel: SpreadValue,
  }),
  reuse: z.strictObject({
    rereadShare: SpreadValue,
    rereadTokens: SpreadValue,
    changeTokens: SpreadValue,
  }),
  context: z.strictObject({
    firstStepTokens: SpreadValue,
    charactersPerToken: z.number().positive(),
    fixedTokens: z.number(),
    unseenTokens: SpreadValue,
    compactAtTokens: SpreadValue,
    compactedTokens: SpreadValue,
    takenBackTokens: SpreadValue.exactOptional(),
    cacheSeconds: z.number().positive().exactOptional(),
  }),
  languages: Languages,
  planting: Planting.exactOptional(),
  checks: z.partialRecord(z.enum(CHECKED_FIGURES), SpreadValue),
  published: z.array(PublishedFigure).readonly().exactOptional(),
}) satisfies z.ZodType<Workload>;

const SHIPPED = new URL('../../../../workloads/', import.meta.url);

/** The workloads that come with the package, each read when it is asked for. */
export const workloads = {
  'claude-code': () => readWorkload('claude-code'),
  codex: () => readWorkload('codex'),
  pi: () => readWorkload('pi'),
  opencode: () => readWorkload('opencode'),
  tracelab: () => readWorkload('tracelab'),
} satisfies Record<string, () => Workload>;

/** The shipped workload of that name. */
export function findWorkload(name: string): Workload {
  return named('workload', workloads, name)();
}

function readWorkload(name: string): Workload {
  try {
    const json: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, SHIPPED), 'utf8'));
    return WorkloadFile.parse(json);
  } catch (error) {
    const message = `Expected the workload '${name}' to come with the package, got none that can be read.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}
