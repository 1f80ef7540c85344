/** The state machine of a session: a state and an input give a new state and commands. */

import { checkedTools, expectInput, expectState } from './check.ts';
import { checkAfterStep, learnLimits } from './checks.ts';
import { applyRevert } from './create-state.ts';
import {
  after,
  askForSummary,
  compactOrPrune,
  goOn,
  isBeingDone,
  ignored,
  proceed,
  queue,
  quiet,
  stop,
  viewListOf,
} from './decide.ts';
import { afterRequest, afterStep } from './guards.ts';
import { grow, insertAt, toArray } from './history.ts';
import { isRequest } from './latest.ts';
import {
  type AssistantMessage,
  isCompleted,
  type MessageError,
  type Part,
  type UserMessage,
} from './message.ts';
import { compactsUnasked } from './overflow.ts';
import { canCut } from './pivot/cut.ts';
import { abortPivot, stepPivot } from './pivot/pivot.ts';
import { cutMiddle } from './pivot/resume.ts';
import type { ReadingPolicy } from './policy.ts';
import type { PrunePolicy } from './prune-policy.ts';
import { prune, prunesAt } from './prune/prune.ts';
import {
  changeState,
  type EngineEvent,
  historyOf,
  type LoopInput,
  type LoopState,
  type Tools,
  type Transition,
  WAITING,
} from './state.ts';
import { endOf } from './values.ts';

/**
 * The state machine of a session: what happened in, what to do out. It never throws for well-typed input; an input that
 * does not fit the phase changes nothing and says so in an event. An input of another form, or a number that is none,
 * is a `TypeError` that names the field.
 */
export function transition(state: LoopState, input: LoopInput, tools: Tools): Transition {
  expectState(state);
  expectInput(input);
  return advance(state, input, checkedTools(tools));
}

/** A transition whose inputs were checked where they came from. */
export function advance(state: LoopState, input: LoopInput, tools: Tools): Transition {
  switch (input.type) {
    case 'user-message':
      return onUserMessage(state, input.message, tools);
    case 'step-finished':
      return onStepFinished(state, input.message, tools);
    case 'step-refused':
      return onStepRefused(state, input.error, tools);
    case 'summary-finished':
    case 'summary-failed':
      return onSummaryEnded(state, input, tools);
    case 'turn-ended':
      return onTurnEnded(state, tools);
    case 'model-changed':
      return quiet(changeState(state, { limits: input.limits }));
    case 'aborted':
      return onAborted(state, input.message, tools);
    case 'compact':
      return onCompact(state, input.revertTo, tools);
    case 'idle':
      return onIdle(state, input.sinceMs, tools);
  }
}

function onUserMessage(state: LoopState, message: UserMessage, tools: Tools): Transition {
  const isWaiting = state.phase.state === 'waiting';
  const next = changeState(state, {
    history: grow(historyOf(state), message),
    health: isRequest(message) ? afterRequest(state.health) : state.health,
    refusals: 0,
    isUnderWay: !isWaiting && state.isUnderWay,
  });
  return isWaiting ? proceed(next, tools) : quiet(next);
}

function onStepFinished(state: LoopState, answer: AssistantMessage, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'step-finished');
  const message = withCutOutputs(answer, state.policy.reading);
  // A step belongs before messages that came while it ran, or to the end if nobody asked for it.
  const { phase } = state;
  const index = phase.state === 'requested' ? phase.insertAt : state.history.length;
  const { background } = state;
  const next = changeState(state, {
    history: insertAt(historyOf(state), index, message),
    phase: WAITING,
    health: afterStep(state.health),
    ...(state.policy.trigger.onRefusal === 'compact-once-a-step' && { refusals: 0 }),
    ...(background && { background: { ...background, steps: background.steps + 1 } }),
  });
  const { check, events } = checkAfterStep(next, message);
  if (check?.isOverflow === true && !isBeingDone(next, check)) {
    const event: EngineEvent = { type: 'overflow', path: 'after-step', check };
    const cause = { check, overflow: !message.finish };
    return after([...events, event], compactOrPrune(next, cause, tools));
  }
  if (message.error !== undefined) return after(events, stop(next, 'step-failed'));
  const passed = check !== undefined && events.length === 0 ? message : undefined;
  return after(events, proceed(next, tools, passed));
}

function onStepRefused(state: LoopState, { message }: MessageError, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'step-refused');
  const { trigger, guards } = state.policy;
  const { onRefusal } = trigger;
  const limits = guards.learnWindow ? learnLimits(state.limits, message) : state.limits;
  const refusals = state.refusals + 1;
  const next = changeState(state, { limits, phase: WAITING, refusals });
  const event: EngineEvent = { type: 'overflow', path: 'refused' };
  if (onRefusal === 'stop') return after([event], stop(next, 'refused'));
  if (onRefusal !== 'compact' && !compactsUnasked(trigger))
    return after([event], stop(next, 'auto-off'));
  if (onRefusal.startsWith('compact-once') && state.refusals > 0)
    return after([event], stop(next, 'refused'));
  return after([event], compactOrPrune(next, { overflow: true }, tools));
}

function onSummaryEnded(
  state: LoopState,
  input: LoopInput & { readonly type: 'summary-finished' | 'summary-failed' },
  tools: Tools,
): Transition {
  if (state.phase.state !== 'summarising') return ignored(state, input.type);
  const step = stepPivot(state, state.phase, { input, tools });
  if (step.state === 'asks-again') return askForSummary(state, step, [step.event]);
  const { next } = step;
  if (step.state === 'held') return goOn(next, tools);
  const { event } = step;
  if (step.state === 'failed') {
    const isBeside = state.phase.marker !== undefined;
    return after(
      [event],
      isBeside || step.goesOn ? goOn(next, tools) : stop(next, 'summary-failed'),
    );
  }
  return after([event], step.goesOn ? goOn(next, tools) : proceed(next, tools));
}

function onTurnEnded(state: LoopState, tools: Tools): Transition {
  if (state.phase.state === 'summarising') return ignored(state, 'turn-ended');
  const next = state.phase.state === 'waiting' ? state : changeState(state, { phase: WAITING });
  return prunesAt(state.policy, 'turn-end') ? pruneNow(next, 'turn-end', tools) : quiet(next);
}

function onIdle(state: LoopState, sinceMs: number, tools: Tools): Transition {
  const { idleMs = 0 } = state.policy.prune;
  const isPause = state.phase.state === 'waiting' && sinceMs >= idleMs;
  return isPause && prunesAt(state.policy, 'idle') ? pruneNow(state, 'idle', tools) : quiet(state);
}

function pruneNow(state: LoopState, moment: PrunePolicy['when'], tools: Tools): Transition {
  const pruned = prune(state, moment, tools);
  return { state: pruned.state, commands: [], events: [pruned.event] };
}

function onAborted(state: LoopState, message: AssistantMessage | undefined, tools: Tools) {
  const { phase } = state;
  if (phase.state === 'waiting') return ignored(state, 'aborted');
  if (phase.state === 'summarising') return stop(abortPivot(state, phase, tools), 'aborted');
  const history =
    message === undefined ? historyOf(state) : insertAt(historyOf(state), phase.insertAt, message);
  return stop(changeState(state, { history, phase: WAITING }), 'aborted');
}

function onCompact(state: LoopState, revertTo: string | undefined, tools: Tools): Transition {
  const neverPivots = state.policy.cut.keep === 'everything';
  if (state.phase.state !== 'waiting' || neverPivots) return ignored(state, 'compact');
  const next = revertTo === undefined ? state : applyRevert(state, revertTo);
  if (!canCut(toArray(viewListOf(next)), next.policy, next.limits))
    return next === state ? ignored(state, 'compact') : quiet(next);
  return queue(next, { auto: false, overflow: false }, tools);
}

function withCutOutputs(
  step: AssistantMessage,
  { outputCapCharacters: cap }: ReadingPolicy,
): AssistantMessage {
  if (cap === undefined) return step;
  const isLong = (part: Part) => isCompleted(part) && part.state.output.length > cap.whole;
  if (!step.parts.some(isLong)) return step;
  const cut = (text: string) =>
    cap.kept === 'end' ? endOf(text, cap.whole) : cutMiddle(text, cap.kept);
  const parts = step.parts.map((part) =>
    isCompleted(part) && isLong(part)
      ? { ...part, state: { ...part.state, output: cut(part.state.output) } }
      : part,
  );
  return { ...step, parts };
}
