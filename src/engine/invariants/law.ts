import type { List } from '../history.ts';
import type { CompletedPart, Message, Part } from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByAgeOptions, CleanupPolicy, KeepLastOptions } from '../prune-policy.ts';
import type { LoopState, PassPlan, PrunePlan } from '../state.ts';

/** A session on both sides of any transition. */
export interface AppendFacts {
  readonly before: LoopState;
  readonly after: LoopState;
  /** The first message of what a person has undone, if that was to be taken out. */
  readonly revertTo?: string | undefined;
}

/** A history on both sides of a prune pass, whether it fired or not. */
export interface PruneFacts {
  readonly before: List<Message>;
  readonly after: List<Message>;
  /** A message that came with the same input, before the pass. */
  readonly added?: Message | undefined;
  readonly plan: PrunePlan;
  /** The part of the plan that clean-ups decided; absent where none ran. */
  readonly cleanups?: readonly PlannedCleanup[] | undefined;
  /** The pass itself may run; clean-ups are apart. */
  readonly isEnabled: boolean;
  readonly options: Pick<ByAgeOptions, 'guardTurns' | 'protectedTools' | 'minimumTokens'>;
  /** Of a pass that keeps the newest outputs. */
  readonly keepLast?: KeepLastOptions | undefined;
  readonly estimator: EstimatorOptions;
}

/** The decision of a clean-up, with its rules. */
export interface PlannedCleanup {
  readonly rules: CleanupPolicy;
  readonly plan: PassPlan;
}

/** Sizes around a pivot in true tokens; a law that needs an unknown one finds nothing. */
export interface PivotSizes {
  /** True tokens of the next request as it would have been without the pivot. */
  readonly contextBeforeTokens?: number | undefined;
  /** True tokens of the next request. */
  readonly contextAfterTokens?: number | undefined;
  /** Tokens that a request may have before the policy acts. */
  readonly usableTokens?: number | undefined;
  /** System prompt, tools and the newest turn, which no pivot can remove. */
  readonly floorTokens?: number | undefined;
  readonly summaryInputTokens?: number | undefined;
  /** Window of the summarizer; 0 means without limit. */
  readonly summaryWindowTokens?: number | undefined;
}

/** A session on both sides of the end of a summary: `before` waits for the summarizer. */
export interface PivotFacts {
  readonly before: LoopState;
  readonly after: LoopState;
  /** `failed` also when it was aborted or rejected. */
  readonly outcome: 'compacted' | 'failed';
  readonly sizes?: PivotSizes | undefined;
}

/** A request that is about to be sent. */
export interface RequestFacts {
  readonly state: LoopState;
  readonly view: List<Message>;
}

/** A prune with the parts that it changed. */
export interface ClearedFacts extends PruneFacts {
  readonly changed: readonly ChangedPart[];
  /** Those of them that no clean-up planned. */
  readonly cleared: readonly ClearedOutput[];
}

/** A part that a prune changed, with the id and index of its message. */
export interface ChangedPart {
  readonly id: string;
  readonly place: number;
  /** As it was before. */
  readonly part: Part;
}

/** An output that a pass cleared. */
export interface ClearedOutput extends ChangedPart {
  readonly part: CompletedPart;
}

/** A request of which the messages before `from` have been looked at. */
export interface ViewFacts extends RequestFacts, Novelty {
  /** 0 when the view starts otherwise than the one before, or with another summary in it. */
  readonly from: number;
  /** The messages from there on. */
  readonly added: readonly Message[];
}

/** The facts that laws are checked with, by moment. */
export interface FactsByMoment {
  readonly append: AppendFacts;
  readonly prune: ClearedFacts;
  readonly pivot: PivotFacts;
  readonly request: ViewFacts;
}

/** When a law is checked. */
export type Moment = keyof FactsByMoment;

/** A sentence that holds for every policy but those that list it as broken, and how to find out. */
export interface Law {
  readonly says: string;
  readonly check: {
    readonly [At in Moment]?: (facts: FactsByMoment[At]) => readonly Finding[];
  };
}

/** Where a law does not hold, and why. It names sizes and ids, never texts. */
export interface Finding {
  readonly message: string;
  readonly messageIds: readonly string[];
}

/** Faults of new messages beside those seen before. */
export interface Novelty {
  /** Messages whose ids others have. */
  readonly repeated: readonly Message[];
  /** Messages with calls that do not pair up. */
  readonly unpaired: readonly Unpaired[];
}

/** A message with each fault of its calls and results. */
export interface Unpaired {
  readonly message: Message;
  readonly problems: readonly string[];
}

export const NOTHING: readonly Finding[] = [];

/** A finding about some messages; none where there are no messages. */
export function findingsIn(
  messages: readonly { readonly id: string }[],
  message: string,
): readonly Finding[] {
  return messages.length === 0 ? NOTHING : [{ message, messageIds: [...new Set(idsOf(messages))] }];
}

/** The ids of messages. */
export function idsOf(messages: readonly { readonly id: string }[]): readonly string[] {
  return messages.map(({ id }) => id);
}
