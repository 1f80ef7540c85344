/** Decides what comes next in a turn: another request, a prune, a summary, or a stop. */

import { checkBeforeRequest, irreducibleFloor, isPassedAgain } from './checks.ts';
import { isOver } from './conditions.ts';
import { estimateText } from './estimate.ts';
import { afterOverflow, openBreaker } from './guards.ts';
import { findNewest, grow, heldList, holdList, type List, toArray } from './history.ts';
import { isRequest, isTurnOver, readLatest, readLatestSteps } from './latest.ts';
import { moveOut, recallForRequest, withMemory } from './memory.ts';
import {
  type AssistantMessage,
  isCompleted,
  isSummary,
  markerOf,
  type Message,
} from './message.ts';
import { applyHeld, applySummary, isSwapDue, mayGoOn } from './pivot/end-pivot.ts';
import { canCut } from './pivot/cut.ts';
import { startPivot } from './pivot/pivot.ts';
import { createMarker, quoteMessages, type MarkerOptions, wrapQueued } from './pivot/resume.ts';
import { isPruneDue, prune } from './prune/prune.ts';
import {
  changeState,
  type Command,
  type EngineEvent,
  historyOf,
  type LoopInput,
  type LoopState,
  type PrunePlan,
  type StopReason,
  type Tools,
  type Transition,
} from './state.ts';
import type { OverflowCheck } from './overflow.ts';
import { sortByTime, viewInTime, viewUnder } from './view.ts';

interface Cause {
  /** Absent for a refusal, which no count explains. */
  readonly check?: OverflowCheck;
  /** The provider had refused the request, or cut it off. */
  readonly overflow: boolean;
}

const NO_EVENTS: readonly EngineEvent[] = [];
/** Why an attempt ends before anybody is asked. */
export const NOTHING_TO_CUT = 'there is nothing to summarise';
const NO_COMMANDS: readonly Command[] = [];

/** The messages that the model would be sent now. */
export function viewOf(state: LoopState): readonly Message[] {
  return toArray(viewListOf(state));
}

/** The messages that the model would be sent now, as a list. */
export function viewListOf(state: LoopState): List<Message> {
  const view = viewUnder(historyOf(state), state.policy);
  return state.memory === undefined ? view : withMemory(view, state.memory);
}

/** The view of a request as a list. */
export function requestedList(command: Command & { readonly type: 'request' }): List<Message> {
  return (heldList(command) as List<Message> | undefined) ?? command.view;
}

/** Decides what to do next; `passed` is a step whose check found nothing. */
export function proceed(state: LoopState, tools: Tools, passed?: AssistantMessage): Transition {
  const view = viewListOf(state);
  const latest = readLatest(inOrder(view, state));
  const lastUser = latest.user ?? readLatest(historyOf(state)).user;
  if (lastUser === undefined || isTurnOver(latest)) return finish(state, tools);
  const [marker] = latest.pendingMarkers;
  if (marker !== undefined) {
    const breaker = openBreaker(state.policy.guards, state.health);
    if (breaker !== undefined && markerOf(marker)?.auto) return stop(state, 'breaker', breaker);
    const { phase, request } = startPivot(state, { view: toArray(view), marker, lastUser }, tools);
    const { fallback, fixedText } = state.policy.summary;
    const text = phase.isAfterRefusal ? (fallback?.text ?? fixedText) : fixedText;
    if (text !== undefined) {
      const result = { text, finish: 'stop' };
      const { next, event, goesOn } = applySummary(state, phase, { result, tools });
      return after([event], goesOn ? goOn(next, tools) : proceed(next, tools));
    }
    return askForSummary(changeState(state, { isUnderWay: true }), { phase, request }, NO_EVENTS);
  }
  if (isSwapDue(state)) return swap(state, tools);
  if (isPassedAgain(state, latest, passed)) return ask(state, view, tools);
  const { check, events } = checkBeforeRequest(state, view, latest);
  if (!check?.isOverflow || isBeingDone(state, check))
    return after(events, ask(state, view, tools));
  const event: EngineEvent = { type: 'overflow', path: 'before-request', check };
  return after([...events, event], compactOrPrune(state, { check, overflow: false }, tools));
}

/** Answers an overflow by what the policy does first: prune, move out, pivot; or nothing. */
export function compactOrPrune(state: LoopState, cause: Cause, tools: Tools): Transition {
  const { policy } = state;
  if (policy.memory !== undefined) {
    const { next, event } = moveOut(state, policy.memory);
    return after([event], goOn(next, tools));
  }
  if (!isPruneDue(state, 'on-overflow')) return pivot(state, cause, tools);
  const pruned = prune(state, 'on-overflow', tools);
  const isEnough =
    policy.cut.keep === 'everything' || isBelow(cause, freedTokens(pruned.plan, state));
  return after(
    [pruned.event],
    isEnough ? goOn(pruned.state, tools) : pivot(pruned.state, cause, tools),
  );
}

/** Tests if the loop need not wait for the summary of an overflow. */
export function isBeingDone(state: LoopState, check: OverflowCheck): boolean {
  return state.background !== undefined && mayGoOn(state, check);
}

/** Queues a compaction and works it off at once. */
export function queue(state: LoopState, options: MarkerOptions, tools: Tools): Transition {
  const marker = createMarker(options, tools);
  const event = { type: 'marker-queued', markerId: marker.id, auto: options.auto } as const;
  const next = changeState(state, { history: grow(historyOf(state), marker) });
  return after([event], proceed(next, tools));
}

/** Goes on without another check; a summary ends no turn here. */
export function goOn(state: LoopState, tools: Tools): Transition {
  const latest = readLatestSteps(historyOf(state));
  return latest.user === undefined || isTurnOver(latest)
    ? stop(state, 'finished')
    : ask(state, viewListOf(state), tools);
}

/** A transition that asks for a summary. */
export function askForSummary(
  state: LoopState,
  { phase, request }: ReturnType<typeof startPivot>,
  events: readonly EngineEvent[],
): Transition {
  const commands = [{ type: 'summarise', request }] as const;
  return { state: changeState(state, { phase }), commands, events };
}

/** The view in the policy's order of newest messages. */
export function inOrder(view: List<Message>, state: LoopState): List<Message> {
  const { policy, memory } = state;
  if (policy.trigger.newestBy === 'position') return view;
  const history = historyOf(state);
  return memory === undefined ? viewInTime(history, policy) : sortByTime(view, history);
}

/** A transition that asks for nothing. */
export function quiet(state: LoopState): Transition {
  return { state, commands: NO_COMMANDS, events: NO_EVENTS };
}

/** A transition after which there is nothing more to ask. */
export function stop(state: LoopState, reason: StopReason, detail?: string): Transition {
  const command: Command =
    detail === undefined ? { type: 'stop', reason } : { type: 'stop', reason, detail };
  return { state, commands: [command], events: NO_EVENTS };
}

/** The result of an input that does not fit the phase. */
export function ignored(state: LoopState, input: LoopInput['type']): Transition {
  return { state, commands: NO_COMMANDS, events: [{ type: 'ignored', input }] };
}

/** A transition with events before its own. */
export function after(events: readonly EngineEvent[], next: Transition): Transition {
  if (events.length === 0) return next;
  const { state, commands } = next;
  return { state, commands, events: [...events, ...next.events] };
}

/** A turn with a compaction may go on by a message of the program's own. */
function finish(state: LoopState, tools: Tools): Transition {
  const { turnEndText } = state.policy.resume;
  const history = historyOf(state);
  const isSaid = () => findNewest(history, isSummary) < findNewest(history, isRequest);
  if (turnEndText === undefined || isSaid()) return stop(state, 'finished');
  const next = quoteMessages([turnEndText], tools).reduce<List<Message>>(grow, history);
  return proceed(changeState(state, { history: next }), tools);
}

function ask(state: LoopState, view: List<Message>, tools: Tools): Transition {
  if (!isPruneDue(state, 'before-request')) return send(state, view);
  const { state: pruned, plan, event } = prune(state, 'before-request', tools);
  const told = plan.state === 'nothing' ? NO_EVENTS : [event];
  return after(told, pruned === state ? send(state, view) : send(pruned, viewListOf(pruned)));
}

function send(state: LoopState, view: List<Message>): Transition {
  const wraps = state.isUnderWay && state.policy.resume.wrapQueued;
  const requested = changeState(state, {
    phase: { state: 'requested', insertAt: historyOf(state).length },
    isUnderWay: true,
  });
  const next = recallForRequest(requested);
  const shown = next === requested ? view : viewListOf(next);
  const command = { type: 'request' } as Command & { readonly type: 'request' };
  holdList(command, 'view', wraps ? wrapQueued(shown) : shown);
  return { state: next, commands: [command], events: NO_EVENTS };
}

function pivot(state: LoopState, cause: Cause, tools: Tools): Transition {
  if (state.policy.cut.keep === 'everything') return goOn(state, tools);
  if (state.background !== undefined) return swap(state, tools);
  const isBeside = cause.check !== undefined && mayGoOn(state, cause.check);
  const next = changeState(state, { health: afterOverflow(state.health) });
  const breaker = openBreaker(next.policy.guards, next.health);
  if (breaker !== undefined) {
    const { failureGoesOn, rejectionGoesOn } = next.policy.summary;
    const goesOn = isBeside || ((failureGoesOn || rejectionGoesOn) && cause.check !== undefined);
    return goesOn ? goOn(next, tools) : stop(next, 'breaker', breaker);
  }
  const floor = irreducibleFloor(next);
  if (floor !== undefined) return stop(next, 'irreducible', floor);
  if (!canCut(viewOf(next), next.policy, next.limits)) {
    if (['checkpoint', 'newest-exchanges'].includes(next.policy.cut.keep))
      return stop(next, 'summary-failed', NOTHING_TO_CUT);
    // The same request would be refused again.
    return cause.check === undefined ? stop(next, 'refused', NOTHING_TO_CUT) : goOn(next, tools);
  }
  if (isBeside) return startBeside(next, tools);
  return queue(next, { auto: true, overflow: cause.overflow }, tools);
}

function startBeside(state: LoopState, tools: Tools): Transition {
  const view = viewListOf(state);
  const marker = createMarker({ auto: true, overflow: false }, tools);
  const lastUser = readLatest(historyOf(state)).user ?? marker;
  const pending = { view: toArray(view), marker, lastUser, isBeside: true };
  const event = { type: 'background-started', markerId: marker.id } as const;
  return askForSummary(state, startPivot(state, pending, tools), [event]);
}

function swap(state: LoopState, tools: Tools): Transition {
  if (state.background === undefined) return goOn(state, tools);
  const { markerId } = state.background.phase;
  const { next, event, goesOn } = applyHeld(state.background, state, tools);
  const queued: EngineEvent = { type: 'marker-queued', markerId, auto: true };
  return after([queued, event], goesOn ? goOn(next, tools) : proceed(next, tools));
}

function isBelow({ check }: Cause, savedTokens: number): boolean {
  if (check === undefined) return false;
  const { comparison, countTokens, usableTokens } = check;
  return !isOver(comparison, countTokens - savedTokens, usableTokens);
}

function freedTokens(plan: PrunePlan, before: LoopState): number {
  if (plan.state !== 'fire') return 0;
  const chosen = new Set(plan.partIds);
  const { policy } = before;
  const placeholderTokens = estimateText(policy.render.clearedOutput, policy);
  return viewOf(before)
    .flatMap(({ parts }) => parts.filter(isCompleted))
    .filter(({ id, state }) => chosen.has(id) && state.compactedAt === undefined)
    .reduce(
      (total, part) => total + estimateText(part.state.output, policy) - placeholderTokens,
      0,
    );
}
