import { type AssistantMessage, type Message, markerOf, type UserMessage } from '../message.ts';
import type { Tools } from '../tools.ts';
import type { EngineEvent, LoopInput, LoopState, Phase } from '../transition.ts';
import { cutForMarker } from './cut.ts';
import type { SummaryRequest } from './request.ts';
import { continueMessage, replayPrompt } from './resume.ts';
import { buildSummaryRequest, failedSummary, summaryMessage } from './summary.ts';

type Summarising = Phase & { readonly state: 'summarising' };
type SummaryEnd = LoopInput & { readonly type: 'summary-finished' | 'summary-failed' };

/** The end of an attempt: the history after it, and whether it took effect. */
export interface PivotEnd {
  readonly history: readonly Message[];
  readonly event: EngineEvent & { readonly type: 'compacted' | 'summary-failed' };
}

/** Works off a pending marker: what to ask the summarizer, and what to wait for. */
export function startPivot(
  { policy, history }: LoopState,
  pending: {
    readonly view: readonly Message[];
    readonly marker: UserMessage;
    readonly lastUser: UserMessage;
  },
): { readonly phase: Summarising; readonly request: SummaryRequest } {
  const { view, marker, lastUser } = pending;
  const parentId = policy.summary.answers === 'marker' ? marker.id : lastUser.id;
  const mayReplay = policy.resume.replayRefusedPrompt && markerOf(marker)?.overflow === true;
  const cut = cutForMarker(view, parentId, mayReplay);
  const phase = {
    state: 'summarising',
    insertAt: history.length,
    markerId: marker.id,
    parentId,
  } as const;
  return {
    phase: cut.replay === undefined ? phase : { ...phase, replay: cut.replay },
    request: buildSummaryRequest(cut, policy.summary),
  };
}

/** Puts the summary, or its failure, into the history. */
export function finishPivot(
  state: LoopState,
  phase: Summarising,
  end: { readonly input: SummaryEnd; readonly tools: Tools },
): PivotEnd {
  const { input, tools } = end;
  if (input.type === 'summary-failed') {
    const event = { type: 'summary-failed', markerId: phase.markerId, error: input.error } as const;
    const failed = failedSummary(input, phase.parentId, tools);
    return { history: keepOrRollBack(state, phase, failed), event };
  }
  const summary = summaryMessage(input.result, phase.parentId, tools);
  const marker = findMarker(state, phase);
  const resumed = marker?.auto ? [resume(state, phase, tools)] : [];
  return {
    history: [...state.history.toSpliced(phase.insertAt, 0, summary), ...resumed],
    event: {
      type: 'compacted',
      markerId: phase.markerId,
      summaryId: summary.id,
      auto: marker?.auto ?? false,
      isReplay: phase.replay !== undefined,
    },
  };
}

/** The history after an aborted attempt. */
export function rollBackPivot(
  state: LoopState,
  phase: Summarising,
  tools: Tools,
): readonly Message[] {
  const error = { name: 'MessageAbortedError', message: 'Aborted' };
  return keepOrRollBack(
    state,
    phase,
    failedSummary({ error, isOverflow: false }, phase.parentId, tools),
  );
}

function keepOrRollBack(
  { policy, history }: LoopState,
  phase: Summarising,
  failed: AssistantMessage,
): readonly Message[] {
  return policy.summary.onFailure === 'keep'
    ? history.toSpliced(phase.insertAt, 0, failed)
    : history.filter((message) => message.id !== phase.markerId);
}

function resume({ policy, history }: LoopState, phase: Summarising, tools: Tools): UserMessage {
  if (phase.replay !== undefined) return replayPrompt(phase.replay, tools);
  const afterRefusal = findMarker({ history }, phase)?.overflow === true;
  return continueMessage(policy.resume, { afterRefusal }, tools);
}

function findMarker({ history }: Pick<LoopState, 'history'>, { markerId }: Summarising) {
  const message = history.find(({ id }) => id === markerId);
  return message === undefined ? undefined : markerOf(message);
}
