import { heldList, holdList, type List, type Log, toLog } from './history.ts';
import type { AssistantMessage, Message, MessageError, Usage, UserMessage } from './message.ts';
import type { OverflowCheck } from './overflow.ts';
import type { Policy, SummaryForm } from './policy.ts';
import type { CleanupName, PrunePolicy } from './prune-policy.ts';
import type { Limits } from './usable.ts';

/** How compactions have gone since the newest real request. */
export interface Health {
  readonly failures: number;
  /** Counted under a guard that limits it. */
  readonly ineffective: number;
  readonly refilled: number;
  /** Steps since the newest pivot; absent before the first. */
  readonly stepsSincePivot?: number;
}

/** The division of a view by a pivot, and the prompt that is sent again after it. */
export interface Cut {
  readonly head: readonly Message[];
  /** First message that stays; absent where nothing does. */
  readonly tailStartId?: string;
  /** Last of the first messages, where those stay too. */
  readonly headEndId?: string;
  /** Text that is kept inside of the summary. */
  readonly recent?: string;
  readonly replay?: UserMessage;
  /** Prompts of the person that are repeated in front of the summary, oldest first. */
  readonly quoted?: readonly string[];
}

/** A host's knowledge of parts and their uses; a replay of a recording knows its future too. */
export interface PartUses {
  /** Steps to come that need the part, in order; empty where none does. */
  upcoming(partId: string): readonly number[];
  /** The newest step that wrote or needed the part; absent where that is not known. */
  newest(partId: string): number | undefined;
  /** Seed of whatever is drawn by lot. */
  readonly seed: number;
}

/** A summary under way: what it is to replace, and what was tried so far. */
export interface Summarising {
  readonly state: 'summarising';
  readonly insertAt: number;
  readonly markerId: string;
  readonly parentId: string;
  readonly cut: Cut;
  /** The summary that this one brings up to date, or the one of the chunks before. */
  readonly previousSummary?: string | undefined;
  /** How the request is built; absent means the policy's own form. */
  readonly form?: SummaryForm | undefined;
  /** The form of the head that is being asked about. */
  readonly asked: readonly Message[];
  /** Chunks of the head that are still to be folded in. */
  readonly rest: readonly (readonly Message[])[];
  /** How far down the ladder of smaller requests this attempt is. */
  readonly rung: number;
  readonly isReminded: boolean;
  /** The provider had refused the session's request. */
  readonly isAfterRefusal: boolean;
  /** Answers so far that gave nothing. */
  readonly emptyAnswers: number;
  /** Answers in front of the one that is waited for, where a turn was split. */
  readonly said?: readonly string[];
  /** The marker of an attempt beside the loop, which no history has yet; absent of one that the loop waits for. */
  readonly marker?: UserMessage;
}

/** The answer that the loop is waiting for. `insertAt` is its index in the history. */
export type Phase =
  | { readonly state: 'waiting' }
  | { readonly state: 'requested'; readonly insertAt: number }
  | Summarising;

/** Everything that the loop knows; a transition gives a new one. */
export interface LoopState {
  readonly policy: Policy;
  readonly limits: Limits;
  /** System prompt and tool definitions, as far as the host knows; 0 where it does not. */
  readonly overheadTokens: number;
  /** All messages in order of time, also those that the view hides. */
  readonly history: readonly Message[];
  readonly phase: Phase;
  readonly health: Health;
  /** Refusals since the newest user message. */
  readonly refusals: number;
  /** The model was asked for a step or a summary since the turn began. */
  readonly isUnderWay: boolean;
  /** A summary that waits to take effect, for policies that have it written beside the loop. */
  readonly background?:
    | {
        /** Its attempt, with the head as it was when it was asked for. */
        readonly phase: Summarising;
        readonly result: SummaryResult;
        /** Steps since it was asked for. */
        readonly steps: number;
      }
    | undefined;
  /** Messages that were moved out of the view, for policies that keep them elsewhere. */
  readonly memory?: ExternalMemory;
  /** The outputs that the policy's pass would have cleared so far, for policies that clear others in their place. */
  readonly baseCleared?: ReadonlySet<string>;
}

/** An event outside. */
export type LoopInput =
  /** A person wrote; also while a step or a summary is on its way. */
  | { readonly type: 'user-message'; readonly message: UserMessage }
  /** The answer to a `request`, with its calls and what came back of them, and the usage as the provider told it. */
  | { readonly type: 'step-finished'; readonly message: AssistantMessage }
  /** The provider refused a `request` because it was too large. */
  | { readonly type: 'step-refused'; readonly error: MessageError }
  /** The answer to a `summarise`. */
  | { readonly type: 'summary-finished'; readonly result: SummaryResult }
  /** A `summarise` that came to nothing. */
  | {
      readonly type: 'summary-failed';
      readonly error: MessageError;
      /** The summary request itself was too large. */
      readonly isOverflow: boolean;
    }
  /** Nothing more is to be done for now, as after a `stop`. Most policies prune here, and only here. */
  | { readonly type: 'turn-ended' }
  /** Time passed without anything else; `sinceMs` is how long, not since when. */
  | { readonly type: 'idle'; readonly sinceMs: number }
  /** The next request goes to a model with other limits. */
  | { readonly type: 'model-changed'; readonly limits: Limits }
  /** Somebody cut off the step or the summary that is on its way. `message` is what that step had written, if anything. */
  | { readonly type: 'aborted'; readonly message?: AssistantMessage }
  /** Somebody asks for a compaction. `revertTo` is the first message of what the person has undone, if anything. */
  | { readonly type: 'compact'; readonly revertTo?: string };

/** Why the loop has nothing more to ask. */
export type StopReason =
  | 'finished'
  | 'step-failed'
  | 'refused'
  | 'auto-off'
  | 'summary-failed'
  | 'aborted'
  | 'breaker'
  | 'irreducible';

/** The next action of the shell. */
export type Command =
  /** Send this to the model, as `render` writes it, and say how it ended. */
  | { readonly type: 'request'; readonly view: readonly Message[] }
  /** Have this summarised, and say how that ended. */
  | { readonly type: 'summarise'; readonly request: SummaryRequest }
  /** The turn is over. */
  | { readonly type: 'stop'; readonly reason: StopReason; readonly detail?: string };

/** A decision of a transition. */
export type EngineEvent =
  | {
      readonly type: 'overflow';
      readonly path: 'after-step' | 'before-request' | 'refused';
      /** Absent for a refusal, which no count explains. */
      readonly check?: OverflowCheck;
    }
  | { readonly type: 'marker-queued'; readonly markerId: string; readonly auto: boolean }
  /** A summary is written while the loop goes on; its marker is queued when it takes effect. */
  | { readonly type: 'background-started'; readonly markerId: string }
  | {
      readonly type: 'pruned';
      readonly plan: PrunePlan;
      /** The decisions of several passes in their order; absent without clean-ups. */
      readonly byPass?: readonly PassPlan[];
    }
  /** The released program publishes this one as `session.compacted`. */
  | {
      readonly type: 'compacted';
      readonly markerId: string;
      readonly summaryId: string;
      readonly auto: boolean;
      readonly isReplay: boolean;
    }
  | { readonly type: 'summary-failed'; readonly markerId: string; readonly error: MessageError }
  /** A summary that a guard does not let in. */
  | { readonly type: 'summary-rejected'; readonly markerId: string; readonly reason: string }
  /** A summary request that is asked again: smaller, for the next chunk, or with a reminder. */
  | {
      readonly type: 'summary-repeated';
      readonly markerId: string;
      readonly because: 'too-large' | 'next-chunk' | 'no-headings' | 'gave-nothing';
    }
  /** A measured usage that no check was made with. */
  | { readonly type: 'usage-ignored'; readonly messageId: string; readonly reason: string }
  /** Messages that moved to external memory. */
  | { readonly type: 'moved-out'; readonly messageIds: readonly string[] }
  /** The input did not fit the phase, or found nothing to compact, and changed nothing. */
  | { readonly type: 'ignored'; readonly input: LoopInput['type'] };

/** The result of one input. */
export interface Transition {
  readonly state: LoopState;
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}

/** Changes that a host may make to a compaction, as plugins of the released program do. */
export interface Hooks {
  /**
   * Called before a summary request goes out (`experimental.session.compacting`). `context` is added to the
   * instruction; `prompt` replaces it, and template and previous summary are then lost.
   */
  readonly compacting?: (request: SummaryRequest) => CompactingAnswer;
  /** Returns false to leave the continue text out (`experimental.compaction.autocontinue`). */
  readonly autoContinue?: () => boolean;
}

/** Additions of a host to a summary request, or its replacement of the instruction. */
export interface CompactingAnswer {
  readonly context?: readonly string[];
  readonly prompt?: string;
}

/** Access of a transition to the outside world: one moment, fresh ids, and the host's hooks. */
export interface Tools {
  /** The current time in ms. */
  readonly now: number;
  /** An id that no message or part has yet. */
  readonly newId: (prefix: string) => string;
  readonly hooks?: Hooks;
  /** When parts are used, for bounds and baselines; no released program knows it. */
  readonly uses?: PartUses | undefined;
}

/** The request to a summarizer, without tools unless `form` says so. */
export interface SummaryRequest {
  /** The summary agent's system prompt. */
  readonly system: string;
  /** The head: what the summary replaces, as the policy shows it to the summarizer. */
  readonly messages: readonly Message[];
  /** The instruction that stands after the head. */
  readonly prompt: string;
  /** Longest answer in tokens; absent where the policy sets none. */
  readonly outputCapTokens?: number;
  /** `provider/model` that is to answer; absent means the session's own. */
  readonly model?: string;
  /** How it is built; absent means a fresh prompt without tools. Of one that extends the session, `system` is not sent. */
  readonly form?: SummaryForm;
  /** Usual length of such a summary, in tokens; absent means unknown. */
  readonly targetTokens?: number;
}

/** The answer of a summarizer. */
export interface SummaryResult {
  readonly text: string;
  readonly finish: string;
  readonly usage?: Usage;
}

/** The decision of a prune pass, before anything is changed. */
export interface PrunePlan {
  /** `below-minimum` names parts that a larger saving would have cleared. */
  readonly state: 'fire' | 'below-minimum' | 'nothing';
  /** Chosen parts, those of the newest message first. */
  readonly partIds: readonly string[];
  /** The policy's estimate of their weight: outputs whole, other parts without their replacement. */
  readonly estimatedTokens: number;
}

/** The decision of one pass of several. */
export interface PassPlan extends PrunePlan {
  readonly pass: CleanupName | PrunePolicy['pass'];
}

/** Messages that were moved out of a view, and those that the next request gets back. */
export interface ExternalMemory {
  readonly store: Memory;
  /** Messages that the view no longer shows. */
  readonly movedOut: ReadonlySet<string>;
  /** A message of its own in front of the view; absent while nothing fits the newest request. */
  readonly recalled?: UserMessage;
}

/**
 * A store of what left the view, to be searched by words: the external memory of design document 004. It never changes;
 * inserting gives a new one that shares what it can.
 */
export interface Memory {
  /** Oldest first. */
  readonly entries: ReadonlyMap<string, StoredEntry>;
  /** The entries that have a term. */
  readonly postings: ReadonlyMap<string, readonly StoredEntry[]>;
  /** Terms of all entries together. */
  readonly termCount: number;
}

/** Something that left the view and may be asked for again. */
export interface MemoryEntry {
  /** Unique in a memory: an entry replaces an older one with the same id. */
  readonly id: string;
  readonly text: string;
  /** The message that it stood in. */
  readonly messageId: string;
  /** Where it stood in the session, as a number that grows with time. */
  readonly order: number;
}

/** An entry as a memory keeps it. */
export interface StoredEntry {
  readonly entry: MemoryEntry;
  readonly termCount: number;
  /** How often each term occurs. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** Tells entries of the same `order` apart, by when they were first inserted. */
  readonly place: number;
}

/** The phase in which nothing has been asked for. */
export const WAITING = { state: 'waiting' } as const;

/** The history of a state as a log. */
export function historyOf(state: LoopState): Log<Message> {
  return toLog((heldList(state) as List<Message> | undefined) ?? state.history);
}

/** A copy of a state with some fields changed. */
export function changeState(
  state: LoopState,
  {
    history = historyOf(state),
    ...changes
  }: Partial<Omit<LoopState, 'history' | 'policy'>> & { readonly history?: List<Message> },
): LoopState {
  // Written out field by field: a spread would read the history as an array.
  const { policy, limits, overheadTokens, phase, health, refusals, isUnderWay } = state;
  const { memory, baseCleared, background } = state;
  const next = { policy, limits, overheadTokens, phase, health, refusals, isUnderWay };
  holdList(next, 'history', history);
  Object.assign(
    next,
    memory && { memory },
    baseCleared && { baseCleared },
    background && { background },
    changes,
  );
  return next as typeof next & Pick<LoopState, 'history'>;
}
