import type { Limits } from './limits.ts';
import type { AssistantMessage, Message, MessageError, UserMessage } from './message.ts';
import type { OverflowCheck } from './overflow.ts';
import type { SummaryRequest } from './pivot/request.ts';
import type { SummaryResult } from './pivot/summary.ts';
import type { Policy } from './policy.ts';
import type { PrunePlan } from './prune/plan.ts';

/** What the loop is waiting for. `insertAt` is where the answer belongs in the history. */
export type Phase =
  | { readonly state: 'waiting' }
  | { readonly state: 'requested'; readonly insertAt: number }
  | {
      readonly state: 'summarising';
      readonly insertAt: number;
      readonly markerId: string;
      readonly parentId: string;
      readonly replay?: UserMessage;
    };

/** Everything that the loop knows; a transition gives a new one. */
export interface LoopState {
  readonly policy: Policy;
  readonly limits: Limits;
  /** All messages in order of time, also those that the view hides. */
  readonly history: readonly Message[];
  readonly phase: Phase;
}

/** What happened outside. */
export type LoopInput =
  | { readonly type: 'user-message'; readonly message: UserMessage }
  | { readonly type: 'step-finished'; readonly message: AssistantMessage }
  | { readonly type: 'step-refused'; readonly error: MessageError }
  | { readonly type: 'summary-finished'; readonly result: SummaryResult }
  | {
      readonly type: 'summary-failed';
      readonly error: MessageError;
      /** The summary request itself was too large. */
      readonly isOverflow: boolean;
    }
  | { readonly type: 'turn-ended' }
  | { readonly type: 'idle'; readonly sinceMs: number }
  | { readonly type: 'model-changed'; readonly limits: Limits }
  /** `message` is what the cut-off step had written, if anything. */
  | { readonly type: 'aborted'; readonly message?: AssistantMessage }
  | { readonly type: 'compact' };

/** Why the loop has nothing more to ask. */
export type StopReason =
  | 'finished'
  | 'step-failed'
  | 'refused'
  | 'auto-off'
  | 'summary-failed'
  | 'aborted';

/** What the shell must do next. */
export type Command =
  | { readonly type: 'request'; readonly view: readonly Message[] }
  | { readonly type: 'summarise'; readonly request: SummaryRequest }
  | { readonly type: 'stop'; readonly reason: StopReason };

/** What a transition decided, for those who watch. */
export type EngineEvent =
  | {
      readonly type: 'overflow';
      readonly path: 'after-step' | 'before-request' | 'refused';
      /** Absent for a refusal, which no count explains. */
      readonly check?: OverflowCheck;
    }
  | { readonly type: 'marker-queued'; readonly markerId: string; readonly auto: boolean }
  | { readonly type: 'pruned'; readonly plan: PrunePlan }
  /** The released program publishes this one as `session.compacted`. */
  | {
      readonly type: 'compacted';
      readonly markerId: string;
      readonly summaryId: string;
      readonly auto: boolean;
      readonly isReplay: boolean;
    }
  | { readonly type: 'summary-failed'; readonly markerId: string; readonly error: MessageError }
  /** The input did not fit the phase and changed nothing. */
  | { readonly type: 'ignored'; readonly input: LoopInput['type'] };

/** The result of one input. */
export interface Transition {
  readonly state: LoopState;
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}
