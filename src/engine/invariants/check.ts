/** Checks of the laws by moment: append, prune, pivot and request. */

import { requestedList } from '../decide.ts';
import { endAlike, firstItems, type List, partingOf, toArray } from '../history.ts';
import { isSentAsIs, isSummary, type Message } from '../message.ts';
import { stateBeforePivot } from '../pivot/end-pivot.ts';
import type { RenderPolicy, LawName } from '../policy.ts';
import type { PrunePolicy } from '../prune-policy.ts';
import { ANY_AGE, joinPlans } from '../prune/plan.ts';
import { isSent, type ModelMessage, renderMessage } from '../render.ts';
import {
  type EngineEvent,
  historyOf,
  type LoopInput,
  type LoopState,
  type PartUses,
  type Transition,
} from '../state.ts';
import type * as law from './law.ts';
import { hasOnlyGrown, pivotLaws } from './pivot-laws.ts';
import { changedBy, clearedIn, pruneLaws } from './prune-laws.ts';
import { viewLaws } from './view-laws.ts';

type PlannedChange = Pick<law.PruneFacts, 'before' | 'after' | 'plan'>;

/** One input of a session and what came of it. */
export interface Move {
  readonly before: LoopState;
  readonly input: LoopInput;
  readonly next: Transition;
  /** The host's measures of a pivot that ended with this input. */
  readonly sizes?: law.PivotSizes | undefined;
  /** The host's knowledge of uses at that moment. */
  readonly uses?: PartUses | undefined;
}

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: law.RequestFacts) => readonly Violation[];

/** A law that does not hold, where, and why. */
export interface Violation extends law.Finding {
  readonly law: LawName;
}

interface LawAt<At extends law.Moment> {
  readonly name: LawName;
  readonly find: (facts: law.FactsByMoment[At]) => readonly law.Finding[];
}

const USED_TWICE = 'a call id is used twice';

/** The invariants that every policy obeys, except those that it lists as broken. Sources: OpenCode field reports, (a) to (j) but (h); design documents 000, 002 and 003. */
export const laws = { ...pivotLaws, ...viewLaws, ...pruneLaws } satisfies Record<LawName, law.Law>;

const lawsAt: { readonly [At in law.Moment]: readonly LawAt<At>[] } = {
  append: lawsOf('append'),
  prune: lawsOf('prune'),
  pivot: lawsOf('pivot'),
  request: lawsOf('request'),
};

/** No law is broken. */
export const HELD: readonly Violation[] = [];

/** Laws that any transition obeys. */
export function checkAppend(facts: law.AppendFacts): readonly Violation[] {
  return findBroken('append', facts);
}

/** Laws that a prune pass obeys, whether it fires or not. */
export function checkPrune(facts: law.PruneFacts): readonly Violation[] {
  if (changesNothing(facts)) return HELD;
  const changed = changedBy(facts);
  return findBroken('prune', { ...facts, changed, cleared: clearedIn(changed, facts) });
}

/** Laws that the end of a summary obeys, good or bad. */
export function checkPivot(facts: law.PivotFacts): readonly Violation[] {
  return findBroken('pivot', facts);
}

/** Laws that a request obeys, all of it. */
export function checkRequest(facts: law.RequestFacts): readonly Violation[] {
  return createRequestChecker()(facts);
}

/** Checks each move of a session against all laws; moves are given in order, and none is left out. */
export function createLawChecker(): (move: Move) => readonly Violation[] {
  const checkRequest = createRequestChecker();
  return (move) => {
    const { before, input, next } = move;
    const { state: after, events, commands } = next;
    const revertTo = input.type === 'compact' ? input.revertTo : undefined;
    let found = hasOnlyGrown(before, after) ? HELD : checkAppend({ before, after, revertTo });
    if (events.length > 0 || input.type === 'aborted') found = [...found, ...checkEvents(move)];
    for (const command of commands) {
      if (command.type !== 'request') continue;
      const broken = checkRequest({ state: after, view: requestedList(command) });
      if (broken.length > 0) found = [...found, ...broken];
    }
    return found;
  };
}

/**
 * A checker that looks only at what is new in a view: what follows the messages that it has already seen at its start,
 * and of that not what still stands in its place. It looks at all of it where a summary is new, which may hide other
 * messages, and what follows a broken law is looked at again.
 */
export function createRequestChecker(): RequestChecker {
  let checked: List<Message> = [];
  let hasHeld = true;
  const seen = createSeen();
  return ({ state, view }) => {
    const before = checked;
    checked = view;
    const { render } = state.policy;
    const { from, added, changed, gone } = whatIsNew(before, view, { hasHeld });
    if (from === 0 && changed === added) seen.forgetAll();
    else if (hasHeld) seen.forget(gone);
    else if (gone.length > 0) {
      seen.forgetAll();
      seen.takeIn(toArray(firstItems(before, from)), render);
    }
    const { repeated, unpaired } = seen.takeIn(changed, render);
    // Last messages of the history, in order by themselves and under ids of their own, break no law behind a view that broke none.
    const isOrderly = repeated.length === 0 && unpaired.length === 0 && from === before.length;
    if (isOrderly && added.length > 0 && endAlike(view, historyOf(state), added.length + 1))
      return HELD;
    const violations = findBroken('request', { state, view, from, added, repeated, unpaired });
    hasHeld &&= violations.length === 0;
    return violations;
  };
}

/** The faults of calls and results in model messages. */
export function pairingProblems(
  sent: readonly ModelMessage[],
  isUsed: (callId: string) => boolean,
): readonly string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const content of sent.flatMap((message) => message.content)) {
    if (content.type === 'tool-call') {
      if (isUsed(content.callId)) problems.push(USED_TWICE);
      open.add(content.callId);
    }
    if (content.type === 'tool-result' && !open.delete(content.callId))
      problems.push('a result has no call before it');
  }
  return open.size === 0 ? problems : [...problems, 'a call has no result'];
}

/** The laws of a moment that do not hold. */
export function findBroken<At extends law.Moment>(
  moment: At,
  facts: law.FactsByMoment[At],
): readonly Violation[] {
  const all = lawsAt[moment];
  let broken = HELD;
  for (let index = 0; index < all.length; index++) {
    const { name, find } = all[index] as LawAt<At>;
    const findings = find(facts);
    if (findings.length > 0)
      broken = [
        ...broken,
        ...findings.map(({ message, messageIds }) => ({ law: name, message, messageIds })),
      ];
  }
  return broken;
}

function changesNothing({ before, after, plan }: PlannedChange): boolean {
  return plan.state !== 'fire' && before === after;
}

function checkEvents(move: Move): readonly Violation[] {
  const { input, next, sizes } = move;
  const { state: after, events } = next;
  const pruned = checkPruned(move);
  const before = stateBeforePivot(move.before, next);
  const outcome = pivotOutcome(before, input, events);
  if (outcome === undefined) return pruned;
  return [...pruned, ...checkPivot({ before, after, outcome, sizes })];
}

function checkPruned({ before, input, next }: Move): readonly Violation[] {
  const pruned = next.events.filter((event) => event.type === 'pruned');
  const { prune, estimator } = next.state.policy;
  const planned: PlannedChange = {
    before: historyOf(before),
    after: historyOf(next.state),
    plan: joinPlans(pruned.map(({ plan }) => plan)),
  };
  if (pruned.length === 0 || changesNothing(planned)) return HELD;
  const plans = pruned.flatMap(({ byPass = [] }) => byPass);
  return checkPrune({
    added: 'message' in input ? input.message : undefined,
    cleanups: prune.cleanups?.flatMap((rules) =>
      plans.filter(({ pass }) => pass === rules.pass).map((plan) => ({ rules, plan })),
    ),
    isEnabled: prune.enabled,
    estimator,
    ...planned,
    ...rulesOf(prune),
  });
}

function rulesOf({ pass, evicts, byAge, keepLast }: PrunePolicy) {
  if (pass === 'by-age') return { options: byAge };
  return evicts === undefined ? { options: ANY_AGE, keepLast } : { options: ANY_AGE };
}

function pivotOutcome({ phase }: LoopState, input: LoopInput, events: readonly EngineEvent[]) {
  if (events.some(({ type }) => type === 'compacted')) return 'compacted';
  const isAborted = input.type === 'aborted' && phase.state === 'summarising';
  const hasFailed = events.some(
    ({ type }) => type === 'summary-failed' || type === 'summary-rejected',
  );
  return isAborted || hasFailed ? 'failed' : undefined;
}

function createSeen() {
  const messageIds = new Set<string>();
  const callIds = new Set<string>();
  const isUsed = (callId: string) => wasSeen(callIds, callId);
  return {
    /** Adds messages, and returns what is wrong with them beside those added before. */
    takeIn: (messages: readonly Message[], render: RenderPolicy): law.Novelty => {
      const repeated: Message[] = [];
      const unpaired: law.Unpaired[] = [];
      for (const message of messages) {
        if (wasSeen(messageIds, message.id)) repeated.push(message);
        const calls = callsIn(message);
        if (calls.length === 0) continue;
        // Calls of a plain step come with their results, and pair up unless an id is used twice.
        const isPlain = message.role === 'assistant' && isSentAsIs(message);
        const isPaired = isPlain && new Set(calls).size === calls.length;
        const problems = isPaired
          ? calls.filter(isUsed).map(() => USED_TWICE)
          : pairingProblems(renderMessage(message, render), isUsed);
        if (problems.length > 0) unpaired.push({ message, problems });
      }
      return { repeated, unpaired };
    },
    /** Forgets messages whose ids no other seen message has. */
    forget: (messages: readonly Message[]) => {
      for (const message of messages) {
        messageIds.delete(message.id);
        if (message.role === 'user' || !isSent(message)) continue;
        for (const callId of callsIn(message)) callIds.delete(callId);
      }
    },
    forgetAll: () => {
      messageIds.clear();
      callIds.clear();
    },
  };
}

function callsIn({ parts }: Message): readonly string[] {
  const calls: string[] = [];
  for (const part of parts) if (part.type === 'tool') calls.push(part.callId);
  return calls;
}

function wasSeen(ids: Set<string>, id: string): boolean {
  const { size } = ids;
  return ids.add(id).size === size;
}

function whatIsNew(
  checked: List<Message>,
  view: List<Message>,
  { hasHeld }: { readonly hasHeld: boolean },
) {
  const { from, before: gone, after: added } = partingOf(checked, view);
  if (added.some(isSummary)) {
    const all = toArray(view);
    return { from: 0, added: all, changed: all, gone: toArray(checked) };
  }
  if (!hasHeld || gone.length === 0) return { from, added, changed: added, gone };
  return {
    from,
    added,
    changed: added.filter((message, index) => message !== gone[index]),
    gone: gone.filter((message, index) => message !== added[index]),
  };
}

function lawsOf<At extends law.Moment>(moment: At): readonly LawAt<At>[] {
  const all: readonly (readonly [string, law.Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) => {
    const find = law.check[moment];
    return find === undefined ? [] : [{ name: name as LawName, find }];
  });
}
