import type { Limits } from './limits.ts';
import type { AssistantMessage, UserMessage } from './message.ts';
import { checkOverflow, type OverflowCheck } from './overflow.ts';
import { createMarker, type MarkerOptions } from './pivot/marker.ts';
import { finishPivot, rollBackPivot, startPivot } from './pivot/pivot.ts';
import type { Policy } from './policy.ts';
import { planByAge } from './prune/by-age.ts';
import { applyPrune } from './prune/plan.ts';
import { type Latest, readLatest } from './latest.ts';
import type { Tools } from './tools.ts';
import type { EngineEvent, LoopInput, LoopState, StopReason, Transition } from './transition.ts';
import { filterCompacted } from './view.ts';

/** Finishes with which a model asks to go on. */
const OPEN_FINISHES: readonly string[] = ['tool-calls', 'unknown'];
const WAITING = { state: 'waiting' } as const;

/** The state before the first message. */
export function createState(policy: Policy, limits: Limits): LoopState {
  return { policy, limits, history: [], phase: WAITING };
}

/** The messages that the model would be sent now. */
export function viewOf(state: LoopState) {
  return filterCompacted(state.history, state.policy.view);
}

/**
 * The state machine of a session: what happened in, what to do out. It never throws for well-typed
 * input; an input that does not fit the phase changes nothing and says so in an event.
 */
export function transition(state: LoopState, input: LoopInput, tools: Tools): Transition {
  switch (input.type) {
    case 'user-message':
      return onUserMessage(state, input.message, tools);
    case 'step-finished':
      return onStepFinished(state, input.message, tools);
    case 'step-refused':
      return onStepRefused(state, tools);
    case 'summary-finished':
    case 'summary-failed':
      return onSummaryEnded(state, input, tools);
    case 'turn-ended':
      return onTurnEnded(state, tools);
    case 'model-changed':
      return quiet({ ...state, limits: input.limits });
    case 'aborted':
      return onAborted(state, input.message, tools);
    case 'compact':
      return onCompact(state, tools);
    case 'idle':
      return quiet(state);
  }
}

function onUserMessage(state: LoopState, message: UserMessage, tools: Tools): Transition {
  const next = { ...state, history: [...state.history, message] };
  return state.phase.state === 'waiting' ? proceed(next, tools) : quiet(next);
}

function onStepFinished(state: LoopState, message: AssistantMessage, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'step-finished');
  const history = state.history.toSpliced(answerIndex(state), 0, message);
  const next: LoopState = { ...state, history, phase: WAITING };
  const check = state.policy.trigger.afterStep ? checkStep(next, message) : undefined;
  if (!check?.isOverflow) {
    return message.error === undefined ? proceed(next, tools) : stop(next, 'step-failed');
  }
  const event: EngineEvent = { type: 'overflow', path: 'after-step', check };
  return after([event], queue(next, { auto: true, overflow: !message.finish }, tools));
}

function onStepRefused(state: LoopState, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'step-refused');
  const { onRefusal, auto } = state.policy.trigger;
  const next: LoopState = { ...state, phase: WAITING };
  const event: EngineEvent = { type: 'overflow', path: 'refused' };
  if (onRefusal === 'stop') return after([event], stop(next, 'refused'));
  if (onRefusal === 'compact-if-auto' && !auto) return after([event], stop(next, 'auto-off'));
  return after([event], queue(next, { auto: true, overflow: true }, tools));
}

function onSummaryEnded(
  state: LoopState,
  input: LoopInput & { readonly type: 'summary-finished' | 'summary-failed' },
  tools: Tools,
): Transition {
  if (state.phase.state !== 'summarising') return ignored(state, input.type);
  const { history, event } = finishPivot(state, state.phase, { input, tools });
  const next: LoopState = { ...state, history, phase: WAITING };
  const follow = event.type === 'compacted' ? proceed(next, tools) : stop(next, 'summary-failed');
  return after([event], follow);
}

function onTurnEnded(state: LoopState, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'turn-ended');
  const { prune, estimator } = state.policy;
  const next: LoopState = { ...state, phase: WAITING };
  if (!prune.enabled) return quiet(next);
  const plan = planByAge(state.history, prune.byAge, estimator);
  const history = applyPrune(state.history, plan, tools.now);
  return { state: { ...next, history }, commands: [], events: [{ type: 'pruned', plan }] };
}

function onAborted(
  state: LoopState,
  message: AssistantMessage | undefined,
  tools: Tools,
): Transition {
  const { phase } = state;
  if (phase.state === 'waiting') return ignored(state, 'aborted');
  const written = message === undefined ? [] : [message];
  const history =
    phase.state === 'summarising'
      ? rollBackPivot(state, phase, tools)
      : state.history.toSpliced(phase.insertAt, 0, ...written);
  return stop({ ...state, history, phase: WAITING }, 'aborted');
}

function onCompact(state: LoopState, tools: Tools): Transition {
  if (state.phase.state !== 'waiting') return ignored(state, 'compact');
  return queue(state, { auto: false, overflow: false }, tools);
}

/** Decides what to do next, in the order of the released loop: end, pending marker, check, request. */
function proceed(state: LoopState, tools: Tools): Transition {
  const view = viewOf(state);
  const latest = readLatest(view);
  if (latest.user === undefined || isTurnOver(latest)) return stop(state, 'finished');
  const [marker] = latest.pendingMarkers;
  if (marker !== undefined) {
    const { phase, request } = startPivot(state, { view, marker, lastUser: latest.user });
    return { state: { ...state, phase }, commands: [{ type: 'summarise', request }], events: [] };
  }
  const check = checkBeforeRequest(state, latest);
  if (check?.isOverflow) {
    const event: EngineEvent = { type: 'overflow', path: 'before-request', check };
    return after([event], queue(state, { auto: true, overflow: false }, tools));
  }
  const phase = { state: 'requested', insertAt: state.history.length } as const;
  return { state: { ...state, phase }, commands: [{ type: 'request', view }], events: [] };
}

function isTurnOver({ assistant, isAnswered }: Latest): boolean {
  const finish = assistant?.finish;
  return isAnswered && Boolean(finish) && !OPEN_FINISHES.includes(finish ?? '');
}

function checkBeforeRequest(state: LoopState, latest: Latest): OverflowCheck | undefined {
  if (!state.policy.trigger.beforeRequest || latest.finished === undefined) return undefined;
  return checkStep(state, latest.finished);
}

/** A summary's own usage says nothing about the next request; a step without usage says nothing at all. */
function checkStep(state: LoopState, message: AssistantMessage): OverflowCheck | undefined {
  const { auto, overflow, reservedTokens, outputCapTokens } = state.policy.trigger;
  if (!auto || message.summary === true || message.usage === undefined) return undefined;
  const options = { rule: overflow, reservedTokens, outputCapTokens };
  return checkOverflow(message.usage, state.limits, options);
}

function queue(state: LoopState, options: MarkerOptions, tools: Tools): Transition {
  const marker = createMarker(options, tools);
  const event = { type: 'marker-queued', markerId: marker.id, auto: options.auto } as const;
  return after([event], proceed({ ...state, history: [...state.history, marker] }, tools));
}

/** Where a step belongs: before messages that came while it ran, or at the end if nobody asked for it. */
function answerIndex({ phase, history }: LoopState): number {
  return phase.state === 'requested' ? phase.insertAt : history.length;
}

function quiet(state: LoopState): Transition {
  return { state, commands: [], events: [] };
}

function stop(state: LoopState, reason: StopReason): Transition {
  return { state, commands: [{ type: 'stop', reason }], events: [] };
}

function ignored(state: LoopState, input: LoopInput['type']): Transition {
  return { state, commands: [], events: [{ type: 'ignored', input }] };
}

function after(events: readonly EngineEvent[], next: Transition): Transition {
  return { ...next, events: [...events, ...next.events] };
}
