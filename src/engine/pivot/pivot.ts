import {
  changeState,
  type Cut,
  historyOf,
  type LoopState,
  type Summarising,
  type SummaryRequest,
  type Tools,
  WAITING,
} from '../state.ts';
import { markerOf, type Message, type UserMessage } from '../message.ts';
import { REMINDER } from '../prompts/headings.ts';
import { applySummary } from './apply-summary.ts';
import { planCut } from './cut.ts';
import { failPivot, keepOrRollBack, rejectSummary } from './fail-pivot.ts';
import { faultOf, nextAttempt } from './next-attempt.ts';
import type { PivotStep, SummaryEnd } from './pivot-step.ts';
import { rereadFiles } from './reread.ts';
import { buildSummaryRequest, failedSummary, previousSummaryOf } from './summary.ts';

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
  const { policy, limits } = state;
  const { view, marker, lastUser } = pending;
  const parentId = policy.summary.answers === 'marker' ? marker.id : lastUser.id;
  const mayReplay = policy.resume.replayRefusedPrompt && markerOf(marker)?.overflow === true;
  const cut = withFiles(planCut({ view, parentId, mayReplay }, policy, limits), state);
  const phase: Summarising = {
    state: 'summarising',
    insertAt: historyOf(state).length,
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
  if (input.type === 'summary-failed') return failPivot(state, phase, { input, tools });
  const reason = faultOf(state, phase, input.result);
  return reason === undefined
    ? applySummary(state, phase, { result: input.result, tools })
    : rejectSummary(state, phase, { reason, tools });
}

/** The state after an aborted attempt. */
export function abortPivot(state: LoopState, phase: Summarising, tools: Tools): LoopState {
  const error = { name: 'MessageAbortedError', message: 'Aborted' };
  const failed = failedSummary({ error, isFinished: false }, phase.parentId, tools);
  return changeState(state, { history: keepOrRollBack(state, phase, failed), phase: WAITING });
}

/** With the files that are given again. What a pivot before has hidden was read all the same. */
function withFiles(cut: Cut, { policy, history }: LoopState): Cut {
  const { rereads } = policy.resume;
  if (rereads === undefined) return cut;
  const files = rereadFiles(history, rereads, policy);
  return files === '' ? cut : { ...cut, recent: files };
}

function requestFor({ policy }: LoopState, phase: Summarising, tools: Tools): SummaryRequest {
  const input = {
    head: phase.asked,
    previousSummary: phase.previousSummary,
    reminder: phase.isReminded ? REMINDER : undefined,
  };
  return buildSummaryRequest(input, policy.summary, tools.hooks);
}
