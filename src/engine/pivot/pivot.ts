import { changeState, WAITING } from '../change-state.ts';
import { afterFailure, afterPivot, summaryFault } from '../guards.ts';
import {
  type AssistantMessage,
  type Message,
  type MessageError,
  markerOf,
  type UserMessage,
} from '../message.ts';
import { checkOverflow } from '../overflow.ts';
import type { ResumePolicy } from '../policy.ts';
import { missesHeadings, REMINDER } from '../prompts/headings.ts';
import { resumeTexts } from '../prompts/resume.ts';
import {
  findNewest,
  firstItems,
  grow,
  insertAt,
  itemAt,
  itemsFrom,
  rewriteFrom,
} from '../series/series.ts';
import type { Tools } from '../tools.ts';
import type { EngineEvent, LoopInput, LoopState, Summarising } from '../transition.ts';
import { filterCompacted } from '../view.ts';
import { estimateMessages, estimateText } from '../weigh.ts';
import { planCut } from './cut.ts';
import type { SummaryRequest } from './request.ts';
import { continueMessage, replayPrompt } from './resume.ts';
import { halveChunk, shrinkHead } from './shrink.ts';
import {
  buildSummaryRequest,
  failedSummary,
  previousSummaryOf,
  type SummaryResult,
  summaryMessage,
} from './summary.ts';

type SummaryEnd = LoopInput & { readonly type: 'summary-finished' | 'summary-failed' };
type SummaryFailure = SummaryEnd & { readonly type: 'summary-failed' };

/** An answer worked off: another request, or the end of the attempt. */
export type PivotStep =
  | {
      readonly state: 'asks-again';
      readonly phase: Summarising;
      readonly request: SummaryRequest;
      readonly event: EngineEvent;
    }
  | {
      readonly state: 'compacted';
      readonly next: LoopState;
      readonly event: EngineEvent;
      /** Whether the turn goes on although nothing was said to the model. */
      readonly goesOn: boolean;
    }
  | { readonly state: 'failed'; readonly next: LoopState; readonly event: EngineEvent };

/** Works off a pending marker: what to ask the summarizer, and what to wait for. */
export function startPivot(
  state: LoopState,
  pending: {
    readonly view: readonly Message[];
    readonly marker: UserMessage;
    readonly lastUser: UserMessage;
  },
  tools: Tools,
): { readonly phase: Summarising; readonly request: SummaryRequest } {
  const { policy, limits, history } = state;
  const { view, marker, lastUser } = pending;
  const parentId = policy.summary.answers === 'marker' ? marker.id : lastUser.id;
  const mayReplay = policy.resume.replayRefusedPrompt && markerOf(marker)?.overflow === true;
  const cut = planCut({ view, parentId, mayReplay }, policy, limits);
  const phase: Summarising = {
    state: 'summarising',
    insertAt: history.length,
    markerId: marker.id,
    parentId,
    cut,
    previousSummary: previousSummaryOf(view, policy.summary),
    asked: cut.head,
    rest: [],
    rung: 0,
    isReminded: false,
  };
  return { phase, request: requestFor(state, phase, tools) };
}

/** Works off what the summarizer answered. */
export function stepPivot(
  state: LoopState,
  phase: Summarising,
  end: { readonly input: SummaryEnd; readonly tools: Tools },
): PivotStep {
  const { input, tools } = end;
  const again = nextAttempt(state, phase, input);
  if (again !== undefined) {
    const request = requestFor(state, again.phase, tools);
    return { state: 'asks-again', phase: again.phase, request, event: again.event };
  }
  if (input.type === 'summary-failed') return fail(state, phase, { input, tools });
  const reason = faultOf(state, phase, input.result);
  return reason === undefined
    ? compact(state, phase, { result: input.result, tools })
    : reject(state, phase, { reason, tools });
}

/** The state after an aborted attempt. */
export function abortPivot(state: LoopState, phase: Summarising, tools: Tools): LoopState {
  const error = { name: 'MessageAbortedError', message: 'Aborted' };
  const failed = failedSummary({ error, isFinished: false }, phase.parentId, tools);
  return changeState(state, { history: keepOrRollBack(state, phase, failed), phase: WAITING });
}

function requestFor({ policy }: LoopState, phase: Summarising, tools: Tools): SummaryRequest {
  const input = {
    head: phase.asked,
    previousSummary: phase.previousSummary,
    reminder: phase.isReminded ? REMINDER : undefined,
  };
  return buildSummaryRequest(input, policy.summary, tools.hooks);
}

/** A smaller request, the next chunk, or the same one with a reminder; nothing when the answer stands. */
function nextAttempt(
  state: LoopState,
  phase: Summarising,
  input: SummaryEnd,
): { readonly phase: Summarising; readonly event: EngineEvent } | undefined {
  const { policy, limits } = state;
  const { guards, summary } = policy;
  const repeated = (because: (EngineEvent & { type: 'summary-repeated' })['because']) =>
    ({ type: 'summary-repeated', markerId: phase.markerId, because }) as const;
  if (input.type === 'summary-failed') {
    if (!input.isOverflow || !guards.shrinkSummaryRequest) return undefined;
    const smaller =
      shrinkHead(phase.cut.head, phase.rung, { policy, limits, asked: phase.asked }) ??
      halveChunk(phase.asked, phase.rung);
    if (smaller === undefined) return undefined;
    const { head: asked, rung } = smaller;
    const rest = smaller.isHalf ? [...smaller.rest, ...phase.rest] : smaller.rest;
    return { phase: { ...phase, asked, rest, rung }, event: repeated('too-large') };
  }
  const [asked, ...rest] = phase.rest;
  if (asked !== undefined) {
    const previousSummary = input.result.text || phase.previousSummary;
    return { phase: { ...phase, asked, rest, previousSummary }, event: repeated('next-chunk') };
  }
  if (!guards.remindMissingHeadings || phase.isReminded) return undefined;
  if (faultOf(state, phase, input.result) !== undefined) return undefined;
  if (!missesHeadings(input.result.text, summary.instruction)) return undefined;
  return { phase: { ...phase, isReminded: true }, event: repeated('no-headings') };
}

function faultOf({ policy }: LoopState, phase: Summarising, result: SummaryResult) {
  if (phase.isReminded && missesHeadings(result.text, policy.summary.instruction)) {
    return 'the summary has none of the headings that were asked for, also after a reminder';
  }
  return summaryFault(policy.guards, result, () => ({
    summaryTokens: estimateText(result.text, policy),
    headTokens: estimateMessages(phase.cut.head, policy),
  }));
}

function compact(
  state: LoopState,
  phase: Summarising,
  answer: { readonly result: SummaryResult; readonly tools: Tools },
): PivotStep {
  const { result, tools } = answer;
  const { parentId, cut } = phase;
  const summary = summaryMessage(result, { parentId, recent: cut.recent }, tools);
  const marker = findMarker(state.history, phase);
  const isAuto = marker?.auto === true;
  const isResumed = isAuto && !endsTurn(state, result);
  const resumed = isResumed ? resume(state, phase, tools) : [];
  const summarised = insertAt(withTail(state.history, phase), phase.insertAt, summary);
  const history = resumed.reduce<readonly Message[]>(grow, summarised);
  const weigh = (messages: readonly Message[]) =>
    state.overheadTokens +
    estimateMessages(filterCompacted(messages, state.policy.view), state.policy);
  const health = afterPivot(state.health, state.policy.guards, () => ({
    beforeTokens: weigh(withoutMarker(state.history, phase)),
    afterTokens: weigh(history),
  }));
  return {
    state: 'compacted',
    goesOn: isResumed && isSilent(state.policy.resume) && tools.hooks?.autoContinue?.() !== false,
    next: changeState(state, { history, health, phase: WAITING }),
    event: {
      type: 'compacted',
      markerId: phase.markerId,
      summaryId: summary.id,
      auto: isAuto,
      isReplay: phase.cut.replay !== undefined,
    },
  };
}

function fail(
  state: LoopState,
  phase: Summarising,
  end: { readonly input: SummaryFailure; readonly tools: Tools },
): PivotStep {
  const { input, tools } = end;
  const isFinished = input.isOverflow && state.policy.summary.overflowFinishes;
  const error = isFinished ? tooLarge(phase) : input.error;
  const failed = failedSummary({ error, isFinished }, phase.parentId, tools);
  const kept = input.isOverflow ? state.history : withTail(state.history, phase);
  return {
    state: 'failed',
    next: settled(state, keepOrRollBack(changeState(state, { history: kept }), phase, failed)),
    event: { type: 'summary-failed', markerId: phase.markerId, error: input.error },
  };
}

/** How the releases that know an overflow put it; the end of the sentences is the project's own. */
function tooLarge({ cut }: Summarising): MessageError {
  const what = cut.replay === undefined ? 'Session' : 'Conversation history';
  return {
    name: 'ContextOverflowError',
    message: `${what} too large to compact: it does not fit the model`,
  };
}

/** A rejected summary leaves nothing behind, whatever the policy does with errors. */
function reject(
  state: LoopState,
  phase: Summarising,
  rejection: { readonly reason: string; readonly tools: Tools },
): PivotStep {
  return {
    state: 'failed',
    next: settled(state, withoutMarker(state.history, phase)),
    event: { type: 'summary-rejected', markerId: phase.markerId, reason: rejection.reason },
  };
}

function settled(state: LoopState, history: readonly Message[]): LoopState {
  return changeState(state, { history, health: afterFailure(state.health), phase: WAITING });
}

function keepOrRollBack(
  { policy, history }: LoopState,
  phase: Summarising,
  failed: AssistantMessage,
): readonly Message[] {
  return policy.summary.onFailure === 'keep'
    ? insertAt(history, phase.insertAt, failed)
    : withoutMarker(history, phase);
}

function withoutMarker(history: readonly Message[], { markerId }: Summarising): readonly Message[] {
  const index = findNewest(history, ({ id }) => id === markerId);
  if (index < 0) return history;
  return itemsFrom(history, index + 1).reduce(grow, firstItems(history, index));
}

/** Stores on the marker where the kept tail starts. */
function withTail(history: readonly Message[], phase: Summarising): readonly Message[] {
  const { tailStartId } = phase.cut;
  if (tailStartId === undefined) return history;
  const index = findNewest(history, ({ id, role }) => id === phase.markerId && role === 'user');
  const marker = itemAt(history, index);
  if (marker === undefined) return history;
  const parts = marker.parts.map((part) =>
    part.type === 'compaction' ? { ...part, tailStartId } : part,
  );
  return rewriteFrom(history, index, [{ ...marker, parts }, ...itemsFrom(history, index + 1)]);
}

/** Before 1.2.16 a summary whose own usage was over the limit was taken for an overflow, and the turn ended. */
function endsTurn({ policy, limits }: LoopState, { usage }: SummaryResult): boolean {
  if (!policy.summary.checksOwnUsage || usage === undefined) return false;
  const { overflow: rule, ...trigger } = policy.trigger;
  return checkOverflow(usage, limits, { ...trigger, rule }).isOverflow;
}

function isSilent({ continueText }: ResumePolicy): boolean {
  return continueText === undefined || resumeTexts[continueText] === '';
}

function resume(
  { policy, history }: LoopState,
  phase: Summarising,
  tools: Tools,
): readonly UserMessage[] {
  if (phase.cut.replay !== undefined) return [replayPrompt(phase.cut.replay, policy.resume, tools)];
  if (tools.hooks?.autoContinue?.() === false) return [];
  const afterRefusal = findMarker(history, phase)?.overflow === true;
  return continueMessage(policy.resume, { afterRefusal }, tools);
}

function findMarker(history: readonly Message[], { markerId }: Summarising) {
  const message = itemAt(
    history,
    findNewest(history, ({ id }) => id === markerId),
  );
  return message === undefined ? undefined : markerOf(message);
}
