import type { EstimatorOptions, Limits, Policy } from '../../engine/index.ts';
import type { Evidence, RunEvent, RunMode, TokenBasis } from '../events.ts';
import type { RunRecord } from '../metrics/record.ts';
import type { ImportReport } from '../session/session.ts';
import type { SessionStory } from '../session/story.ts';
import type { RunView } from './saved/shapes.ts';
import type { SetupSummary } from './setup.ts';

/** Everything that would have to be the same to get the same numbers. No clock time, no machine path. */
export interface Provenance {
  readonly version: string;
  /** Policies as resolved, with every override applied. */
  readonly policies: readonly Policy[];
  readonly model: string;
  /** Each session keeps its own model and window; `model` is that of most. */
  readonly onSetup?: true;
  /** The model's limits as used, with every override applied. */
  readonly limits: Limits;
  /** How its provider was simulated. */
  readonly provider: SimulatedProvider;
  readonly summarizer: string;
  readonly seed: number;
  readonly mode: RunMode;
  readonly catalog: { readonly source: string; readonly hash: string };
  /** Hash of each prompt text in use, by name. */
  readonly prompts: Readonly<Record<string, string>>;
  /** Tokenizers and estimates in use. */
  readonly estimators: Estimators;
  /** Settings in force by name, wherever they were given. */
  readonly settings: Readonly<Record<string, number | boolean | string>>;
  /** Settings from a configuration file and the environment; absent where neither has a say. */
  readonly config?: ConfigProvenance;
}

/** How a provider was simulated: what it enforces, tells, caches and refuses, by the names of its tables. */
export interface SimulatedProvider {
  /** Absent where the declared limits hold. */
  readonly trueLimits?: Limits;
  readonly dialect: string;
  readonly cache: string;
  /** Nothing is known of the provider, and nobody named a cache. Absent where it is not so. */
  readonly isCacheUnknown?: true;
  readonly cacheTtlMs: number;
  readonly refusal: string;
  readonly checks: readonly string[];
  /** Prices for which the price of fresh input stands in, or all where none is known. */
  readonly unknownPrices: readonly string[];
}

/** The tokenizer of a model: `measured` where it is the model's own, `estimated` where it stands in for that. */
export interface TokenizerBasis {
  readonly name: string;
  readonly evidence: Evidence;
}

/** Tokenizers and estimates in use, and where nothing was measured. */
export interface Estimators {
  readonly tokenizer: TokenizerBasis;
  /** The estimator of each policy, by its name. */
  readonly policies: Readonly<Record<string, EstimatorOptions>>;
  /** The basis of the true tokens of each session. */
  readonly sessions: readonly SessionBasis[];
}

/** The basis of the numbers of one session: its tokens, and what its import left out or mended. */
export interface SessionSource extends ImportReport {
  readonly basis: TokenBasis;
  /** The messages before its first one are absent. */
  readonly isPartial: boolean;
  /** How many messages from its first another session of the report holds as well; absent where none does. */
  readonly sharedMessages?: number;
  /** `provider/model` of most of its steps; absent where none names one. */
  readonly recordedModel?: string;
  /** Absent where nothing but the session is known. */
  readonly setup?: SetupSummary;
  /** Absent of documents without texts. */
  readonly story?: SessionStory;
}

/** The source of one session. */
export interface SessionBasis extends SessionSource {
  readonly session: string;
}

/** Where settings came from that were not given on the command line. */
export interface ConfigProvenance {
  /** Absent where only the environment has a say. */
  readonly file?: string;
  /** Key of the file, or variable of the environment, by setting. */
  readonly origins: Readonly<Record<string, string>>;
  /** The summary model that it names, whose window counts; `summarizer` tells what answered. */
  readonly summaryModel?: string;
}

/** An input that could not be read. */
export interface UnreadInput {
  readonly file: string;
  readonly reason: string;
}

/** The results of a command, ready to be rendered. */
export interface Report {
  readonly schemaVersion: number;
  readonly provenance: Provenance;
  readonly runs: readonly RunRecord[];
  readonly unread: readonly UnreadInput[];
}

/** One way to write a report down. */
export interface Format {
  /** Of the file it is usually written to, with its dot. */
  readonly extension: string;
  readonly describes: string;
  /** It tells of single requests, so that their events are kept. */
  readonly needsEvents?: true;
  render(report: Report, options: RenderOptions): string;
}

/** How much room there is for a line; a file has no end of it. */
export interface Room {
  /** How wide the terminal is, where that is known. */
  readonly terminalColumns?: number | undefined;
}

/** Capabilities of the terminal to which a report is written; a file has none. */
export interface Terminal extends Room {
  readonly colors: boolean;
  /** How many sessions a report lists, where somebody says so. */
  readonly top?: number | undefined;
  /** Everything is shown, and not only what fits a screen and decides. */
  readonly details?: boolean | undefined;
}

/** Options of rendering a report. */
export interface RenderOptions extends Terminal {
  /** A table for a terminal also draws the context of each run whose events are known. */
  readonly hasCharts?: boolean | undefined;
  /** The events of a run, where they are known; only pictures need them. */
  readonly eventsOf?: ((run: RunRecord) => readonly RunEvent[] | undefined) | undefined;
  /** The views of a run's requests, where they are known; only pictures need them. */
  readonly viewOf?: ((run: RunRecord) => RunView | undefined) | undefined;
}

/** The version of the shape of `Report`. */
export const SCHEMA_VERSION = 1;

/** Explains the mode of runs in a sentence. */
export function describeMode(mode: RunMode): string {
  return mode === 'open-loop'
    ? 'Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.'
    : 'Closed loop: a scripted agent re-reads what was lost. Not comparable with open-loop numbers.';
}

/** How a run ended, with the reason where there is one. */
export function describeEnding({
  state,
  reason,
}: {
  readonly state: string;
  readonly reason?: string | undefined;
}): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}
