import type { CountUnit, TriggerCondition } from './conditions.ts';
import type { OverflowErrorRuleName, RetryRuleName } from './errors.ts';
import type { OverflowRuleName } from './overflow.ts';
import type {
  InstructionName,
  MergeTextName,
  ResumeTextName,
  SystemPromptName,
} from './prompts.ts';
import type { PrunePolicy } from './prune-policy.ts';
import type { UsageRuleName } from './usage.ts';
import type { ViewPolicy } from './view.ts';

/** When a compaction is queued. */
export interface TriggerPolicy {
  /** Something besides a person may queue one. */
  readonly auto: boolean;
  readonly overflow: OverflowRuleName;
  /** Tokens kept free below the limit; absent means the rule's own default. */
  readonly reservedTokens?: number;
  /** Share of the window that a request may fill, in the place of the rule's own limit; 0 or absent is none. */
  readonly windowShare?: number;
  /**
   * Conditions in the place of the rule's comparison: one list must hold, and all of what stands in it. Absent means
   * that the rule compares.
   */
  readonly anyOf?: readonly (readonly TriggerCondition[])[];
  /**
   * The count in the place of reported usage, as the policy estimates it: without system prompt and tools all messages
   * of the view, or those since the newest summary; or the whole request, or that and the usage, whichever is more.
   * Absent means reported usage.
   */
  readonly counted?: 'messages' | 'since-summary' | 'request' | 'request-or-usage';
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** The cap that the check after a step uses where it does not know the product's. */
  readonly afterStepOutputCapTokens?: number;
  /** Checked when a step has finished, with its own usage. */
  readonly afterStep: boolean;
  /** Checked before a request, with the newest usage and the limits of the next model. */
  readonly beforeRequest: boolean;
  /** A step is checked only where it ends its turn, and a request only where a prompt is newer than the newest step; absent means each. */
  readonly onlyBetweenTurns?: boolean;
  /** A check adds the estimate of what came after the measured step. */
  readonly countsNewerMessages: boolean;
  /** That estimate has no prompts of a person; absent means that it has. */
  readonly leavesOutPrompts?: boolean;
  /** A check adds sealed reasoning from before the newest step's turn; absent means that it does not. */
  readonly countsSealed?: boolean;
  /** A usage of 0 is taken as it is; absent means that the one before counts, with what came since. */
  readonly takesZero?: boolean;
  /**
   * A check adds the estimate of what prunes took out, where whoever asks keeps it and it is taken out anew; absent
   * means that it does not.
   */
  readonly countsCleared?: boolean;
  /** The summary is written while the loop goes on; absent means that the loop waits for it. */
  readonly background?: {
    /** Steps from the request for it on until it takes effect. */
    readonly swapAfterSteps: number;
    /** The rule by whose limit the loop waits: a written summary takes effect at once. */
    readonly blocksAt: OverflowRuleName;
  };
  /** The reaction to a refused request: compact, only while `auto` holds, only once a turn or until a step is answered, or end the turn. */
  readonly onRefusal:
    | 'compact'
    | 'compact-if-auto'
    | 'compact-once'
    | 'compact-once-a-step'
    | 'stop';
  /** The newest step is the last one in the view, or in time; they differ where a tail is moved. */
  readonly newestBy: 'position' | 'time';
}

/** How it reads what comes back from providers and tools. */
export interface ReadingPolicy {
  /** The form in which a reported usage is stored with its message. */
  readonly usage: UsageRuleName;
  /** Which errors it knows for a request that was too large; absent means none. */
  readonly overflowErrors?: OverflowErrorRuleName;
  /** Which failed requests are made again, and when. */
  readonly retries: RetryRuleName;
  /** The model sees an output above `whole` characters as `kept` of its beginning and end, or its end of `whole`; absent means all of it. */
  readonly outputCapCharacters?: { readonly whole: number; readonly kept: number | 'end' };
}

/** The summary request. */
export interface SummaryPolicy {
  readonly systemPrompt: SystemPromptName;
  /** A person's own system prompt, in the place of the named one. */
  readonly systemText?: string;
  readonly instruction: InstructionName;
  /** `provider/model` that writes summaries; absent means the session's own. */
  readonly model?: string;
  readonly form: SummaryForm;
  readonly length: SummaryLength;
  /** Images and documents go as a line of text. */
  readonly stripMedia: boolean;
  /** Longest tool output that is sent, in characters; absent means all of it. */
  readonly toolOutputChars?: number;
  /** The previous summary goes into the instruction, and not into the head. */
  readonly anchored: boolean;
  /** How the instruction asks to merge the previous summary; absent means as OpenCode 1.14.21. */
  readonly merge?: MergeTextName;
  /** The marker stands in the head and asks its question; of an anchored policy, only one that came to nothing. */
  readonly markerInHead: boolean;
  /** Stands where a summary is empty; absent means that nothing does. */
  readonly emptyText?: string;
  /** Stands in the place of a summary, which nobody is asked for; an empty one says nothing. Absent means that a summary is asked for. */
  readonly fixedText?: string;
  /** Longest summary in tokens; absent means the model's own limit. */
  readonly outputCapTokens?: number;
  /** Kept messages that are in the request, too: steps, or unanswered prompts as well; absent means none. */
  readonly readsKept?: 'steps' | 'all';
  /** The beginning of a turn that the cut splits is asked about on its own, and both answers stand. */
  readonly splitTurnApart?: boolean;
  /** Of a request for a summary after a refusal, or with a part of the messages; absent means the form of any. */
  readonly refusedForm?: SummaryForm;
  /** Of a request with a summary of the same turn, whose system prompt tells another time; absent means the form of any. */
  readonly laterForm?: SummaryForm;
  /**
   * Most that a summary is asked with, newest first: a share of the window, or after a refusal of the refused request by
   * its estimate, less system prompt and tools. Absent means all.
   */
  readonly askedShare?: number;
  /** Another request where an answer gave nothing; absent means that the first answer stands. */
  readonly asksAgain?: AskAgainPolicy;
  /** A refused request is made again in chunks of that share of what is usable, and once more of their summaries. */
  readonly refusedChunks?: { readonly usableShare: number; readonly form: SummaryForm };
  /** Without a model, in the place of a summary after a refusal or an error; absent means that a summary is asked for. */
  readonly fallback?: { readonly text: string; readonly cut: CutPolicy };
  /** Which message the summary names as its parent; views look for a marker that is one. */
  readonly answers: 'marker' | 'last-user';
  /** A failed or aborted attempt leaves its marker and its error in the history, or nothing. */
  readonly onFailure: 'keep' | 'roll-back';
  /** A turn goes on with its whole context where an overflow led to no summary, unless the provider had refused it. */
  readonly failureGoesOn?: boolean;
  /** The same where a summary came and was rejected, and not where none came. */
  readonly rejectionGoesOn?: boolean;
  /** A summary that failed because its request was too large counts as finished. */
  readonly overflowFinishes: boolean;
  /** A summary whose own usage is over the limit ends the turn. */
  readonly checksOwnUsage: boolean;
}

/** How the request for a summary is built, which decides what of it a prompt cache knows. */
export interface SummaryForm {
  /** The session's own request and one message more; a prompt of its own before the head; or the head as text in one message. */
  readonly kind: 'extends' | 'fresh' | 'flattened';
  /** The instruction stands before the head; absent means behind it. */
  readonly instructionFirst?: boolean;
  /** The session's tools go with it. */
  readonly tools: boolean;
  /** A second call asks the model to check what it wrote. */
  readonly verifies: boolean;
}

/** Requests for a summary after one that gave nothing. */
export interface AskAgainPolicy {
  /** Requests at most, with the first one. */
  readonly attempts: number;
  /** An error of the server counts as an empty answer does. */
  readonly afterErrors: boolean;
  /** Of later requests; absent means the form of the first. Where nothing is left out, one is made in it. */
  readonly form?: SummaryForm;
  /** The message that each later request leaves out; the newest stays word for word instead. */
  readonly drops: 'oldest' | 'newest' | 'nothing';
  /** Messages of its own behind a prompt, which are the oldest after it; absent means none. */
  readonly reminders?: number;
  /** Of what a request had that was refused as too large, the next one has this share, newest first; absent means that none follows. */
  readonly refusedShares?: readonly number[];
  /** After a refusal goes the oldest of what was said, once so many items have gone that stand before it; absent means that none follows. */
  readonly refusedDrops?: number;
}

/** How long summaries usually are: what a summarizer without a model aims at. */
export interface SummaryLength {
  readonly tokens: number;
  /** Where that was seen, or that it is assumed. */
  readonly source: string;
}

/** How the session goes on after a pivot that a trigger queued. */
export interface ResumePolicy {
  /** Absent and `none` mean that nothing is said. */
  readonly continueText?: ResumeTextName;
  /** Nothing is said where the turn was over; absent means that it is said all the same. */
  readonly onlyMidTurn?: boolean;
  /** Said where a turn with a compaction is over, which goes on by that; absent means that nothing is. */
  readonly turnEndText?: string;
  /** The prompt of a refused request is taken out of the head and sent again. */
  readonly replayRefusedPrompt: boolean;
  /** Each prompt without an answer is, refused or not, and nothing else stays; absent means that a refused one is, beside what the cut keeps. */
  readonly replaysAlone?: boolean;
  /** In a turn that is under way, unanswered prompts are sent wrapped in a system reminder, once. */
  readonly wrapQueued: boolean;
  /** A refusal that could not be replayed is explained before the continue text. */
  readonly explainRefusal: boolean;
  /** Files that stand behind the summary again; absent means none. */
  readonly rereads?: RereadPolicy;
}

/** Where removed messages go, and how much of them comes back. */
export interface MemoryPolicy {
  /** Newest messages that are never moved out. */
  readonly keepMessages: number;
  /** Entries that come back for one request at most. */
  readonly recallEntries: number;
  /** Tokens that come back for one request at most, as estimated. */
  readonly recallTokens: number;
}

/** Sentences that stand in the view for what is not sent. */
export interface RenderPolicy {
  /** Stands where a cleared output was. */
  readonly clearedOutput: string;
  /** Text of the marker for the model; an empty one is not sent. */
  readonly markerQuestion: string;
  /** A message of which a prune left nothing is sent empty; absent means that it is not sent. */
  readonly emptyMessages?: 'keep';
  /** A summary as the model's own message, as a user message that says that it is history, or as one that hands the work over. */
  readonly summaryAs: 'assistant' | 'checkpoint' | 'handover';
}

/** A law that a policy breaks because its source does, and where that was seen. */
export interface BrokenLaw {
  readonly law: LawName;
  readonly source: string;
}

/** One complete set of rules. It is plain data: equal policies behave equally. */
export interface Policy extends ViewPolicy {
  readonly name: string;
  /** The program that it is the policy of, with its time or versions. */
  readonly describes: string;
  /** The document, release or paper that it follows. */
  readonly source: string;
  readonly trigger: TriggerPolicy;
  readonly reading: ReadingPolicy;
  readonly prune: PrunePolicy;
  readonly cut: CutPolicy;
  readonly summary: SummaryPolicy;
  readonly resume: ResumePolicy;
  readonly guards: GuardsPolicy;
  readonly memory?: MemoryPolicy;
  readonly estimator: EstimatorOptions;
  readonly render: RenderPolicy;
  readonly breaks: readonly BrokenLaw[];
}

/** A policy with any of its settings left open, to be laid over a complete one. What is cut is replaced whole. */
export type PolicyOverrides = DeepPartial<Omit<Policy, 'cut'>> & { readonly cut?: CutPolicy };

type DeepPartial<Value> = Value extends readonly unknown[] | ((...given: never[]) => unknown)
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;

/** How a policy believes text to weigh. */
export interface EstimatorOptions {
  readonly charsPerToken: number;
  /** A name of a tokenizer, which whoever runs the policy loads as `count`; absent means that characters are counted. */
  readonly tokenizer?: string;
  /** Counts the tokens of a text, in the place of characters. It is no data: such a policy stays in its process. */
  readonly count?: (text: string) => number;
  readonly rounding: 'round' | 'ceil';
  /** Tokens of an image that is not estimated by its bytes; absent means 1,500, as in OpenCode 2.0. */
  readonly imageTokens?: number;
  /** Tokens of a document; absent means 2,000, as in OpenCode 2.0. */
  readonly documentTokens?: number;
}

/** Checks that keep a policy from harming a session. Each is off where the preset's source has none. */
export interface GuardsPolicy {
  /** A summary that weighs as much as what it replaces is rejected. */
  readonly rejectLargerSummary: boolean;
  /** A summary without text is rejected. */
  readonly rejectEmptySummary: boolean;
  /** A summary that was cut off or filtered, or is as long as it might get, is rejected. */
  readonly rejectTruncatedSummary: boolean;
  /** A summary that looks like a tool call is rejected. */
  readonly rejectToolCallSummary: boolean;
  /** Compactions in a row without effect after which no automatic one follows; 0 means no limit. */
  readonly maxIneffective: number;
  /** Compactions in a row that the next two steps filled up again; 0 means no limit. */
  readonly maxRefilled: number;
  /** Failed attempts in a row; 0 means no limit. */
  readonly maxFailures: number;
  /** Usage measured before the newest pivot says nothing about what follows it. */
  readonly ignoreStaleUsage: boolean;
  /** Usage above the window, far above what was sent, or far below it is not believed. */
  readonly ignoreImplausibleUsage: boolean;
  /** The policy's own estimate is checked where a usage is missing or not believed. */
  readonly estimateMissingUsage: boolean;
  /** A refusal that names the provider's window sets the limit from then on. */
  readonly learnWindow: boolean;
  /** Stops when system, tools and the newest request alone are over what is usable. */
  readonly stopIrreducible: boolean;
  /** A summary with none of the headings that were asked for is asked for once more. */
  readonly remindMissingHeadings: boolean;
  /** A summary request that is too large is tried again smaller. */
  readonly shrinkSummaryRequest: boolean;
}

/** The part of a view that a pivot keeps verbatim. */
export type CutPolicy =
  /** Nothing: everything that the model saw is summarised. */
  | { readonly keep: 'nothing' }
  /** Everything: the policy never pivots. */
  | { readonly keep: 'everything' }
  | { readonly keep: 'last-messages'; readonly count: number }
  | { readonly keep: 'last-turns'; readonly count: number }
  /** The newest turns that fit a budget; `tokens` sets it, otherwise it is a share of what is usable. */
  | ({ readonly keep: 'recent-turns'; readonly tokens?: number } & TailRule)
  /** As text inside of the summary, about this many tokens. */
  | { readonly keep: 'checkpoint'; readonly tokens: number }
  | KeepSize
  /** Prompts that nobody has answered yet. */
  | { readonly keep: 'unanswered' }
  /** The newest step if its results wait, and unanswered prompts; nothing after a refusal. So much opens a session and is summarised with it. Source: Qwen Code 0.24. */
  | { readonly keep: 'pending'; readonly openingTokens?: number }
  /**
   * Prompts of the person in front of the summary, up to so many tokens or all, and unanswered prompts behind it. With
   * `firstTokens` unanswered ones are in front, too, and of too much so many tokens of the beginning stay.
   */
  | { readonly keep: 'user-messages'; readonly tokens?: number; readonly firstTokens?: number }
  | KeepEnds;

/** Messages that a pivot keeps by size. */
export type KeepSize =
  /**
   * The newest messages until they weigh so much, as estimated; a step whose results reach it goes, but the newest one
   * may stay: where nothing is newer, all stay or it alone. Source: pi.
   */
  | { readonly keep: 'recent-messages'; readonly tokens: number; readonly newestStays?: boolean }
  /** Source: Kimi CLI. */
  | { readonly keep: 'newest-messages'; readonly count: number }
  /** The newest steps and prompts from behind a step on, until they are so many messages of the model, results counted, or weigh such a share of the window. Source: Kimi Code 0.20. */
  | { readonly keep: 'newest-exchanges'; readonly count: number; readonly windowShare: number }
  /** The newest messages until they weigh so much, as estimated, with the step that reaches it; and all from the newest prompt on, unless the session begins with it. Source: Cline. */
  | { readonly keep: 'newest-steps'; readonly tokens: number }
  /** From the first prompt on that has the rest of the characters before it, or else from the newest prompt on. Source: Gemini CLI. */
  | LastShare;

export interface LastShare {
  readonly keep: 'last-share';
  readonly share: number;
  /** In the middle of a turn, so many of its newest steps, none after a refusal. Source: Qwen Code 0.15. */
  readonly steps?: number;
  /** A message of the agent's own opens each session, and is summarised alone where all else stays. */
  readonly opening?: boolean;
}

/** How much of the newest conversation a pivot keeps as it is. */
export interface TailRule {
  /** Newest turns that may be kept, of which 0 keeps none; absent means as many as fit. */
  readonly turns?: number | undefined;
  /** A turn that does not fit may be kept in part. */
  readonly splitsTurns: boolean;
  /** Most tokens that the tail gets where none are configured. */
  readonly maximumBudgetTokens: number;
}

/** How much of the files that were read last a pivot gives back. */
export interface RereadPolicy {
  readonly files: number;
  /** Longest piece of one file, in estimated tokens. */
  readonly fileTokens: number;
  /** Of a longer file, its beginning or its path alone. */
  readonly longFiles: 'beginning' | 'path';
  /** All of them together, in estimated tokens. */
  readonly totalTokens: number;
}

/** The name of a law. */
export type LawName =
  | 'usable-above-floor'
  | 'pivot-lowers-context'
  | 'one-compaction-per-step'
  | 'no-boundary-without-text'
  | 'calls-paired'
  | 'newest-request-visible'
  | 'ordered-by-time'
  | 'auto-off-means-never'
  | 'summary-request-fits'
  | 'no-message-twice'
  | 'nothing-before-the-pivot'
  | 'prune-off-means-never'
  | 'prune-keeps-guarded-turns'
  | 'prune-keeps-protected-tools'
  | 'prune-keeps-newest-outputs'
  | 'prune-saves-enough'
  | 'prune-clears-what-it-planned'
  | 'failed-summary-changes-nothing'
  | 'history-only-grows';

/** The first messages and the newest ones; what lies between them goes. */
export interface KeepEnds {
  readonly keep: 'ends';
  /** In what the first ones are counted, and a share of the newest. */
  readonly unit: CountUnit;
  /** So many at the beginning; a message in which the number ends stays whole. */
  readonly first: number;
  /** How much of the newest stays; of several amounts, the one that keeps most. */
  readonly newest: readonly KeptAmount[];
  /** A message in which a number ends stays whole, or goes. */
  readonly crossing: 'stays' | 'goes';
  /** The first of the newest messages is one of the model, or a prompt, later if need be; absent means any. */
  readonly beginsWith?: 'answer' | 'prompt';
  /** More goes, this share at a time, until what stays is no more than that share of the window. */
  readonly furtherShare?: { readonly step: number; readonly untilWindowShare: number };
}

/** So many of a unit or tokens; or a share of the unit, or of the tokens of a window or a trigger. */
export type KeptAmount =
  | { readonly of: CountUnit | 'tokens'; readonly count: number }
  | { readonly of: 'all' | 'window' | 'usable'; readonly share: number };
