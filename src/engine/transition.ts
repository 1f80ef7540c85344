/** Types of the state machine: states, inputs, commands and events. */

import type { ExternalMemory } from './memory/external-memory.ts';
import type { Health } from './guards.ts';
import type { Limits } from './limits.ts';
import type { AssistantMessage, Message, MessageError, UserMessage } from './message.ts';
import type { OverflowCheck } from './overflow.ts';
import type { Cut } from './pivot/cut.ts';
import type { SummaryRequest } from './pivot/request.ts';
import type { SummaryResult } from './pivot/summary.ts';
import type { Policy } from './policy.ts';
import type { PassPlan, PrunePlan } from './prune/plan.ts';

/** A summary under way: what it is to replace, and what was tried so far. */
export interface Summarising {
  readonly state: 'summarising';
  readonly insertAt: number;
  readonly markerId: string;
  readonly parentId: string;
  readonly cut: Cut;
  /** The summary that this one brings up to date, or the one of the chunks before. */
  readonly previousSummary?: string | undefined;
  /** The form of the head that is being asked about. */
  readonly asked: readonly Message[];
  /** Chunks of the head that are still to be folded in. */
  readonly rest: readonly (readonly Message[])[];
  /** How far down the ladder of smaller requests this attempt is. */
  readonly rung: number;
  readonly isReminded: boolean;
}

/** What the loop is waiting for. `insertAt` is where the answer belongs in the history. */
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
  /** What was moved out of the view, for policies that keep it elsewhere. */
  readonly memory?: ExternalMemory;
  /** What the pass of the policy would have cleared so far, for policies that clear other outputs in their place. */
  readonly baseCleared?: ReadonlySet<string>;
}

/** What happened outside. */
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

/** What the shell must do next. */
export type Command =
  /** Send this to the model, as `render` writes it, and say how it ended. */
  | { readonly type: 'request'; readonly view: readonly Message[] }
  /** Have this summarised, and say how that ended. */
  | { readonly type: 'summarise'; readonly request: SummaryRequest }
  /** The turn is over. */
  | { readonly type: 'stop'; readonly reason: StopReason; readonly detail?: string };

/** What a transition decided, for those who watch. */
export type EngineEvent =
  | {
      readonly type: 'overflow';
      readonly path: 'after-step' | 'before-request' | 'refused';
      /** Absent for a refusal, which no count explains. */
      readonly check?: OverflowCheck;
    }
  | { readonly type: 'marker-queued'; readonly markerId: string; readonly auto: boolean }
  | {
      readonly type: 'pruned';
      readonly plan: PrunePlan;
      /** What each of several passes decided, in their order; absent where there are no clean-ups. */
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
      readonly because: 'too-large' | 'next-chunk' | 'no-headings';
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
