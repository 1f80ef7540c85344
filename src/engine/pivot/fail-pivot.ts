import {
  changeState,
  historyOf,
  type LoopState,
  type Summarising,
  type Tools,
  WAITING,
} from '../state.ts';
import { afterFailure } from '../guards.ts';
import type { AssistantMessage, Message, MessageError } from '../message.ts';
import { insertAt, type List } from '../history.ts';
import { withoutMarker, withTail } from './marked-history.ts';
import type { PivotStep, SummaryFailure } from './pivot-step.ts';
import { failedSummary } from './summary.ts';

/** The end of an attempt whose summary failed. */
export function failPivot(
  state: LoopState,
  phase: Summarising,
  end: { readonly input: SummaryFailure; readonly tools: Tools },
): PivotStep {
  const { input, tools } = end;
  const isFinished = input.isOverflow && state.policy.summary.overflowFinishes;
  const error = isFinished ? tooLarge(phase) : input.error;
  const failed = failedSummary({ error, isFinished }, phase.parentId, tools);
  const kept = input.isOverflow ? historyOf(state) : withTail(historyOf(state), phase);
  return {
    state: 'failed',
    next: settled(state, keepOrRollBack(changeState(state, { history: kept }), phase, failed)),
    event: { type: 'summary-failed', markerId: phase.markerId, error: input.error },
  };
}

/** A rejected summary leaves nothing behind, whatever the policy does with errors. */
export function rejectSummary(
  state: LoopState,
  phase: Summarising,
  rejection: { readonly reason: string; readonly tools: Tools },
): PivotStep {
  return {
    state: 'failed',
    next: settled(state, withoutMarker(historyOf(state), phase)),
    event: { type: 'summary-rejected', markerId: phase.markerId, reason: rejection.reason },
  };
}

/** The history after an attempt that left only an error, or nothing, as the policy has it. */
export function keepOrRollBack(
  state: LoopState,
  phase: Summarising,
  failed: AssistantMessage,
): List<Message> {
  const history = historyOf(state);
  return state.policy.summary.onFailure === 'keep'
    ? insertAt(history, phase.insertAt, failed)
    : withoutMarker(history, phase);
}

/** How the releases that know an overflow put it; the end of the sentences is the project's own. */
function tooLarge({ cut }: Summarising): MessageError {
  const what = cut.replay === undefined ? 'Session' : 'Conversation history';
  return {
    name: 'ContextOverflowError',
    message: `${what} too large to compact: it does not fit the model`,
  };
}

function settled(state: LoopState, history: List<Message>): LoopState {
  return changeState(state, { history, health: afterFailure(state.health), phase: WAITING });
}
