import { expectForm, object } from './form/check.ts';
import { policyForm } from './form/policy-form.ts';
import type { EstimatorOptions } from './estimate.ts';
import type { GuardsPolicy } from './guards.ts';
import type { LawName } from './invariants/laws.ts';
import type { OverflowErrorRuleName } from './errors/overflow-error.ts';
import type { OverflowRuleName } from './overflow.ts';
import type { CutPolicy } from './pivot/cut.ts';
import type { RereadPolicy } from './pivot/reread.ts';
import type { InstructionName } from './prompts/instructions.ts';
import type { ResumeTextName } from './prompts/resume.ts';
import type { SystemPromptName } from './prompts/system.ts';
import type { ByAgeOptions } from './prune/by-age.ts';
import type { CleanupPolicy } from './prune/cleanup.ts';
import type { EvictionName } from './prune/eviction-orders.ts';
import type { KeepLastOptions } from './prune/keep-last.ts';
import { isRecord } from './read-field.ts';
import type { UsageRuleName } from './reported-usage.ts';
import type { RetryRuleName } from './errors/retry.ts';
import type { ViewPolicy } from './view.ts';

/** When a compaction is queued. */
export interface TriggerPolicy {
  /** Whether anything but a person may queue one. */
  readonly auto: boolean;
  readonly overflow: OverflowRuleName;
  /** Tokens kept free below the limit; absent means the rule's own default. */
  readonly reservedTokens?: number;
  /** Share of the window that a request may fill, in the place of the rule's own limit; absent means the rule's own. */
  readonly windowShare?: number;
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** The cap that the check after a step uses where it does not know the product's. */
  readonly afterStepOutputCapTokens?: number;
  /** Checked when a step has finished, with its own usage. */
  readonly afterStep: boolean;
  /** Checked before a request, with the usage of the last finished step and the limits of the next model. */
  readonly beforeRequest: boolean;
  /** Whether a step is checked only where it ends its turn, and a request only where a prompt is newer than the newest step; absent means each. */
  readonly onlyBetweenTurns?: boolean;
  /** Whether a check adds what came after the measured step, as the policy estimates it. */
  readonly countsNewerMessages: boolean;
  /** What a refused request does: compact in any case, only while `auto` holds, then only once a turn, or end the turn. */
  readonly onRefusal: 'compact' | 'compact-if-auto' | 'compact-once' | 'stop';
  /** Whether the newest step is the last one in the view, or the last one in time; they differ where a tail is moved. */
  readonly newestBy: 'position' | 'time';
}

/** How it reads what providers report. */
export interface ReadingPolicy {
  /** The form in which a reported usage is stored with its message. */
  readonly usage: UsageRuleName;
  /** Which errors it knows for a request that was too large; absent means none. */
  readonly overflowErrors?: OverflowErrorRuleName;
  /** Which failed requests are made again, and when. */
  readonly retries: RetryRuleName;
}

/** What leaves the view without a pivot: old tool outputs by a pass, and before it what clean-ups find useless. */
export interface PrunePolicy {
  /** Whether the pass runs; clean-ups do where they are listed. */
  readonly enabled: boolean;
  /**
   * When it runs: at the end of each turn; when an overflow was found: then a pivot follows only if too little was
   * cleared; before each request; or after a pause. Never where the source accepts the switch and has no pass.
   */
  readonly when: 'turn-end' | 'on-overflow' | 'before-request' | 'idle' | 'never';
  /** How long a pause is, in ms, for a prune that waits for one. */
  readonly idleMs?: number;
  /** By age, every output, or all but the newest ones. */
  readonly pass: 'by-age' | 'all-outputs' | 'keep-last';
  readonly byAge: ByAgeOptions;
  /** Of the pass that keeps the newest ones. */
  readonly keepLast?: KeepLastOptions;
  /** Which outputs leave when the pass would fire, as many tokens of them; absent means those that the pass chooses. */
  readonly evicts?: EvictionName;
  /** What they find useless goes at their own moments, in their order and before the pass; absent means none. */
  readonly cleanups?: readonly CleanupPolicy[];
  /** Whether an output that the pass cleared stays in the history or is overwritten with the placeholder. */
  readonly storedOutput: 'kept' | 'overwritten';
}

/** What the summarizer is sent. */
export interface SummaryPolicy {
  readonly systemPrompt: SystemPromptName;
  /** A person's own system prompt, in the place of the named one. */
  readonly systemText?: string;
  readonly instruction: InstructionName;
  /** `provider/model` that writes summaries; absent means the session's own. */
  readonly model?: string;
  /** Images and documents go as a line of text. */
  readonly stripMedia: boolean;
  /** Longest tool output that is sent, in characters; absent means all of it. */
  readonly toolOutputChars?: number;
  /** Whether the previous summary goes into the instruction, and not into the head. */
  readonly anchored: boolean;
  /** Whether the marker stands in the head and asks its question; of an anchored policy, only one that came to nothing. */
  readonly markerInHead: boolean;
  /** Stands where a summary is empty; absent means that nothing does. */
  readonly emptyText?: string;
  /** Longest summary in tokens; absent means the model's own limit. */
  readonly outputCapTokens?: number;
  /** Which message the summary names as its parent; views look for a marker that is one. */
  readonly answers: 'marker' | 'last-user';
  /** Whether a failed or aborted attempt leaves its marker and its error in the history. */
  readonly onFailure: 'keep' | 'roll-back';
  /** Whether a summary that failed because its request was too large counts as finished. */
  readonly overflowFinishes: boolean;
  /** Whether a summary whose own usage is over the limit ends the turn. */
  readonly checksOwnUsage: boolean;
}

/** How the session goes on after a pivot that a trigger queued. */
export interface ResumePolicy {
  /** Absent and `none` mean that nothing is said. */
  readonly continueText?: ResumeTextName;
  /** Whether nothing is said where the turn was over; absent means that it is said all the same. */
  readonly onlyMidTurn?: boolean;
  /** Whether the prompt of a refused request is taken out of the head and sent again. */
  readonly replayRefusedPrompt: boolean;
  /** Whether that prompt is wrapped in a system reminder. */
  readonly wrapReplay: boolean;
  /** Whether a refusal that could not be replayed is explained before the continue text. */
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
  /** What the marker says to the model; it is not sent where it says nothing. */
  readonly markerQuestion: string;
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
  /** What it is the policy of, and for which time or versions. */
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

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;

/** The complete policy that results from laying overrides over a base; neither is changed. Throws a `TypeError` where the base is no policy, and at a setting that no rule reads. */
export function resolvePolicy(base: Policy, overrides: PolicyOverrides = {}): Policy {
  expectForm('base', base, policyForm);
  expectForm('overrides', overrides, object);
  const { cut = base.cut, ...rest } = overrides;
  // The base is one, so that whatever is wrong was laid over it, and stands there under the same path.
  return expectForm('overrides', { ...(merge(base, rest) as Policy), cut }, policyForm);
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], over[key])]));
}
