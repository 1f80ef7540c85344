import type { OverflowRuleName } from './overflow.ts';
import type { InstructionName, ResumeTextName, SystemPromptName } from './prompts.ts';
import type { ByAgeOptions } from './prune/by-age.ts';
import type { ViewRuleName } from './view.ts';

/** When a compaction is queued. */
export interface TriggerPolicy {
  /** Whether anything but a person may queue one. */
  readonly auto: boolean;
  readonly overflow: OverflowRuleName;
  /** Tokens kept free below the limit; absent means the rule's own default. */
  readonly reservedTokens?: number;
  /** The product's cap on one answer. */
  readonly outputCapTokens: number;
  /** Checked when a step has finished, with its own usage. */
  readonly afterStep: boolean;
  /** Checked before a request, with the usage of the last finished step and the limits of the next model. */
  readonly beforeRequest: boolean;
  /** What a refused request does: compact in any case, only while `auto` holds, or end the turn. */
  readonly onRefusal: 'compact' | 'compact-if-auto' | 'stop';
}

/** When old tool outputs leave the view, and which. */
export interface PrunePolicy {
  readonly enabled: boolean;
  readonly byAge: ByAgeOptions;
}

/** What the summarizer is sent. */
export interface SummaryPolicy {
  readonly systemPrompt: SystemPromptName;
  readonly instruction: InstructionName;
  /** Images and documents go as a line of text. */
  readonly stripMedia: boolean;
  /** Longest summary in tokens; absent means the model's own limit. */
  readonly outputCapTokens?: number;
  /** Which message the summary names as its parent; views look for a marker that is one. */
  readonly answers: 'marker' | 'last-user';
  /** Whether a failed or aborted attempt leaves its marker and its error in the history. */
  readonly onFailure: 'keep' | 'roll-back';
}

/** How the session goes on after a pivot that a trigger queued. */
export interface ResumePolicy {
  readonly continueText: ResumeTextName;
  /** Whether the prompt of a refused request is taken out of the head and sent again. */
  readonly replayRefusedPrompt: boolean;
  /** Whether a refusal that could not be replayed is explained before the continue text. */
  readonly explainRefusal: boolean;
}

/** How the policy believes text to weigh, in tokens. */
export interface EstimatorPolicy {
  readonly charsPerToken: number;
  readonly rounding: 'round' | 'ceil';
}

/** Sentences that stand in the view for what is not sent. */
export interface RenderPolicy {
  /** Stands where a cleared output was. */
  readonly clearedOutput: string;
  /** What the marker says to the model. */
  readonly markerQuestion: string;
}

/** One complete set of rules. It is plain data: equal policies behave equally. */
export interface Policy {
  readonly name: string;
  /** What it is the policy of, and for which time or versions. */
  readonly describes: string;
  /** The document, release or paper that it follows. */
  readonly source: string;
  readonly trigger: TriggerPolicy;
  readonly prune: PrunePolicy;
  readonly view: ViewRuleName;
  readonly summary: SummaryPolicy;
  readonly resume: ResumePolicy;
  readonly estimator: EstimatorPolicy;
  readonly render: RenderPolicy;
}

/** A policy with any of its settings left open, to be laid over a complete one. */
export type PolicyOverrides = {
  readonly [Group in keyof Policy]?: Policy[Group] extends object
    ? { readonly [Key in keyof Policy[Group]]?: DeepPartial<Policy[Group][Key]> }
    : Policy[Group];
};

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

/** The complete policy that results from laying overrides over a base; neither is changed. */
export function resolvePolicy(base: Policy, overrides: PolicyOverrides = {}): Policy {
  return merge(base, overrides) as Policy;
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], over[key])]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
