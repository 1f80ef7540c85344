import type { Published } from './published.ts';
import type { SessionShape } from './session-shape.ts';
import type { Spread } from './spread.ts';

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

/** Names of figures that nothing is drawn from. */
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

/** The name of a figure that nothing is drawn from. */
export type CheckedFigure = (typeof CHECKED_FIGURES)[number];
