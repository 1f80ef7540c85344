import { isOver } from '../conditions.ts';
import { estimateMessages } from '../estimate.ts';
import { afterFailure, afterPivot } from '../guards.ts';
import {
  findNewest,
  firstItems,
  grow,
  insertAt,
  itemAt,
  itemsFrom,
  type List,
  rewriteFrom,
} from '../history.ts';
import { isTurnOver, newestRequest, readLatestSteps, wordsOf } from '../latest.ts';
import { type AssistantMessage, markerOf, type Message } from '../message.ts';
import { checkOverflow, overflowRules, type OverflowCheck } from '../overflow.ts';
import { continueMessage, quoteMessages, replayPrompt } from './resume.ts';
import { failedSummary, summaryMessage } from './summary.ts';
import { resumeTexts } from '../prompts.ts';
import {
  changeState,
  type EngineEvent,
  type Health,
  historyOf,
  type LoopInput,
  type LoopState,
  type Summarising,
  type SummaryRequest,
  type SummaryResult,
  type Tools,
  WAITING,
  type Transition,
} from '../state.ts';
import { viewUnder } from '../view.ts';

/** The answer of the summarizer. */
export type SummaryEnd = LoopInput & { readonly type: 'summary-finished' | 'summary-failed' };

/** Why it did not. */
export type SummaryFailure = SummaryEnd & { readonly type: 'summary-failed' };

/** An answer worked off: another request, or the end of the attempt. */
export type PivotStep =
  | {
      readonly state: 'asks-again';
      readonly phase: Summarising;
      readonly request: SummaryRequest;
      readonly event: EngineEvent;
    }
  /** A summary that is kept until it takes effect. */
  | { readonly state: 'held'; readonly next: LoopState }
  | {
      readonly state: 'compacted' | 'failed';
      readonly next: LoopState;
      readonly event: EngineEvent;
      /** The turn goes on, although nothing was said to the model, or with what it saw before. */
      readonly goesOn: boolean;
    };

/** Puts a summary in the place of its head, and goes on. */
export function applySummary(
  state: LoopState,
  phase: Summarising,
  { result, tools }: { readonly result: SummaryResult; readonly tools: Tools },
): PivotStep & { readonly state: 'compacted' } {
  const { parentId, cut } = phase;
  const { emptyText } = state.policy.summary;
  const text = emptyText !== undefined && result.text.trim() === '' ? emptyText : result.text;
  const summary = summaryMessage({ ...result, text }, { parentId, recent: cut.recent }, tools);
  const isAuto = findMarker(historyOf(state), phase)?.auto === true;
  const isResumed = isAuto && !endsTurn(state, result);
  const resumed = isResumed ? resume(state, phase, tools) : undefined;
  const quoted = quoteMessages(cut.quoted ?? [], tools);
  let history: List<Message> = withTail(historyOf(state), phase);
  for (const [index, message] of [...quoted, summary].entries())
    history = insertAt(history, phase.insertAt + index, message);
  for (const message of resumed ?? []) history = grow(history, message);
  const { continueText = 'none' } = state.policy.resume;
  return {
    state: 'compacted',
    goesOn: resumed !== undefined && resumeTexts[continueText] === '',
    next: changeState(state, {
      history,
      health: healthAfter(state, phase, history),
      phase: WAITING,
      // Another summary's head is gone.
      ...(state.background && { background: undefined }),
    }),
    event: {
      type: 'compacted',
      markerId: phase.markerId,
      summaryId: summary.id,
      auto: isAuto,
      isReplay: cut.replay !== undefined,
    },
  };
}

/** The end of an attempt whose summary failed. */
export function failPivot(
  state: LoopState,
  phase: Summarising,
  { input, tools }: { readonly input: SummaryFailure; readonly tools: Tools },
): PivotStep {
  const isFinished = input.isOverflow && state.policy.summary.overflowFinishes;
  // How the releases that know an overflow put it; the end of the sentence is the project's own.
  const what = phase.cut.replay === undefined ? 'Session' : 'Conversation history';
  const error = isFinished
    ? {
        name: 'ContextOverflowError',
        message: `${what} too large to compact: it does not fit the model`,
      }
    : input.error;
  const failed = failedSummary({ error, isFinished }, phase.parentId, tools);
  const kept = input.isOverflow ? historyOf(state) : withTail(historyOf(state), phase);
  const history = keepOrRollBack(changeState(state, { history: kept }), phase, failed);
  const event = { type: 'summary-failed', markerId: phase.markerId, error: input.error } as const;
  return afterFailedPivot(state, phase, { history, event });
}

/** A rejected summary leaves nothing behind. */
export function rejectSummary(state: LoopState, phase: Summarising, reason: string): PivotStep {
  const history = withoutMarker(historyOf(state), phase);
  const event = { type: 'summary-rejected', markerId: phase.markerId, reason } as const;
  return afterFailedPivot(state, phase, { history, event });
}

/** The history after a failed attempt. */
export function keepOrRollBack(
  state: LoopState,
  phase: Summarising,
  failed: AssistantMessage,
): List<Message> {
  const history = historyOf(state);
  return state.policy.summary.onFailure === 'keep' && phase.marker === undefined
    ? insertAt(history, phase.insertAt, failed)
    : withoutMarker(history, phase);
}

/** Tests if the loop may go on while a summary is written. */
export function mayGoOn({ policy, limits }: LoopState, { countTokens }: OverflowCheck): boolean {
  const { background, outputCapTokens, reservedTokens } = policy.trigger;
  if (background === undefined) return false;
  const { usable, comparison } = overflowRules[background.blocksAt];
  return !isOver(comparison, countTokens, usable(limits, { outputCapTokens, reservedTokens }));
}

/** Tests if a held summary takes effect before the next request. */
export function isSwapDue({ policy, background }: LoopState): boolean {
  const { swapAfterSteps = 0 } = policy.trigger.background ?? {};
  return background !== undefined && background.steps >= swapAfterSteps;
}

/** Puts a held summary in the place of its head; what came since stays. */
export function applyHeld(
  { phase, result }: NonNullable<LoopState['background']>,
  state: LoopState,
  tools: Tools,
): PivotStep & { readonly state: 'compacted' } {
  const before = historyOf(state);
  const first = itemAt(before, phase.insertAt);
  const tailStartId = phase.cut.tailStartId ?? first?.id;
  const marker = phase.marker && { ...phase.marker, createdAt: tools.now };
  const history = marker === undefined ? before : grow(before, marker);
  const cut = tailStartId === undefined ? phase.cut : { ...phase.cut, tailStartId };
  return applySummary(
    changeState(state, { history }),
    { ...phase, insertAt: history.length, cut },
    { result, tools },
  );
}

/** The state right before a pivot, as if the loop had waited for its summary. */
export function stateBeforePivot(before: LoopState, next: Transition): LoopState {
  const phase = before.background?.phase;
  const pivot = next.events.find((event) => event.type === 'compacted');
  if (phase === undefined || pivot?.markerId !== phase.markerId) return before;
  const history = historyOf(next.state);
  const markerIndex = findNewest(history, ({ id }) => id === phase.markerId);
  return changeState(before, { history: firstItems(history, markerIndex + 1), phase });
}

function afterFailedPivot(
  state: LoopState,
  phase: Summarising,
  { history, event }: { readonly history: List<Message>; readonly event: EngineEvent },
): PivotStep {
  const isAuto = findMarker(historyOf(state), phase)?.auto === true;
  const { failureGoesOn = false, rejectionGoesOn = failureGoesOn } = state.policy.summary;
  const mayGoOn = event.type === 'summary-rejected' ? rejectionGoesOn : failureGoesOn;
  return {
    state: 'failed',
    goesOn: mayGoOn && isAuto && !phase.isAfterRefusal,
    next: changeState(state, { history, health: afterFailure(state.health), phase: WAITING }),
    event,
  };
}

function findMarker(history: List<Message>, { markerId }: Summarising) {
  const index = findNewest(history, ({ id }) => id === markerId);
  const message = itemAt(history, index);
  return message === undefined ? undefined : markerOf(message);
}

/** Before 1.2.16 a summary's own usage over the limit ended the turn. */
function endsTurn({ policy, limits }: LoopState, { usage }: SummaryResult): boolean {
  if (!policy.summary.checksOwnUsage || usage === undefined) return false;
  const { overflow: rule, ...trigger } = policy.trigger;
  return checkOverflow(usage, limits, { ...trigger, rule }).isOverflow;
}

function resume(state: LoopState, phase: Summarising, tools: Tools) {
  const { policy } = state;
  const history = historyOf(state);
  if (phase.cut.replay !== undefined) return [replayPrompt(phase.cut.replay, tools)];
  if (tools.hooks?.autoContinue?.() === false) return undefined;
  // Messages that came while the summary was written are a turn of their own.
  const before = firstItems(history, phase.insertAt);
  if (policy.resume.onlyMidTurn === true && isTurnOver(readLatestSteps(before))) return [];
  const afterRefusal = findMarker(history, phase)?.overflow === true;
  const requestOf = () => {
    const newest = newestRequest(before);
    return (newest && wordsOf(newest)) ?? '';
  };
  return continueMessage(policy.resume, { afterRefusal, requestOf }, tools);
}

function withTail(
  history: List<Message>,
  { cut: { tailStartId, headEndId }, parentId }: Summarising,
): List<Message> {
  if (tailStartId === undefined && headEndId === undefined) return history;
  const index = findNewest(history, ({ id }) => id === parentId);
  const marker = itemAt(history, index);
  if (marker === undefined || markerOf(marker) === undefined) return history;
  const parts = marker.parts.map((part) =>
    part.type === 'compaction'
      ? { ...part, ...(tailStartId && { tailStartId }), ...(headEndId && { headEndId }) }
      : part,
  );
  return rewriteFrom(history, index, [{ ...marker, parts }, ...itemsFrom(history, index + 1)]);
}

function healthAfter(state: LoopState, phase: Summarising, history: List<Message>): Health {
  const { policy, overheadTokens } = state;
  const weigh = (messages: List<Message>) =>
    overheadTokens + estimateMessages(viewUnder(messages, policy), policy);
  return afterPivot(state.health, policy.guards, () => ({
    beforeTokens: weigh(withoutMarker(historyOf(state), phase)),
    afterTokens: weigh(history),
  }));
}

function withoutMarker(history: List<Message>, { markerId }: Summarising): List<Message> {
  const index = findNewest(history, ({ id }) => id === markerId);
  if (index < 0) return history;
  return rewriteFrom(history, index, itemsFrom(history, index + 1));
}
