import { isSummary, type Message } from '../message.ts';
import { isSent } from '../render.ts';
import type {
  AppendFacts,
  FactsByMoment,
  Law,
  Moment,
  PivotFacts,
  PruneFacts,
  RequestFacts,
} from './law.ts';
import type { Finding } from './finding.ts';
import { type LawName, laws } from './laws.ts';
import { clearedBy } from './prune-laws.ts';

/** A law that does not hold, where, and why. */
export interface Violation extends Finding {
  readonly law: LawName;
}

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: RequestFacts) => readonly Violation[];

/** Laws that any transition obeys. */
export function checkAppend(facts: AppendFacts): readonly Violation[] {
  return check('append', facts);
}

/** Laws that a prune pass obeys, whether it fires or not. */
export function checkPrune(facts: PruneFacts): readonly Violation[] {
  return check('prune', { ...facts, cleared: clearedBy(facts) });
}

/** Laws that the end of a summary obeys, good or bad. */
export function checkPivot(facts: PivotFacts): readonly Violation[] {
  return check('pivot', facts);
}

/** Laws that a request obeys, all of it. */
export function checkRequest(facts: RequestFacts): readonly Violation[] {
  return createRequestChecker()(facts);
}

/**
 * A checker that looks only at what follows the messages that it has already seen at the start of a
 * view, and at all of it where there are none or where a summary follows, which may hide other messages.
 */
export function createRequestChecker(): RequestChecker {
  let checked: readonly Message[] = [];
  const seenMessageIds = new Set<string>();
  const seenCallIds = new Set<string>();
  return ({ state, view }) => {
    const from = resumeIndex(checked, view);
    for (const message of checked.slice(from)) {
      seenMessageIds.delete(message.id);
      for (const callId of callIdsOf(message)) seenCallIds.delete(callId);
    }
    const violations = check('request', { state, view, from, seenMessageIds, seenCallIds });
    for (const message of view.slice(from)) {
      seenMessageIds.add(message.id);
      for (const callId of callIdsOf(message)) seenCallIds.add(callId);
    }
    checked = view;
    return violations;
  };
}

function check<At extends Moment>(moment: At, facts: FactsByMoment[At]): readonly Violation[] {
  const all: readonly (readonly [string, Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) =>
    (law.check[moment]?.(facts) ?? []).map((finding) => ({ law: name as LawName, ...finding })),
  );
}

/** Where to go on in a view that may start as one before it. */
function resumeIndex(checked: readonly Message[], view: readonly Message[]): number {
  const changed = checked.findIndex((message, index) => view[index] !== message);
  const from = changed < 0 ? checked.length : changed;
  return view.slice(from).some(isSummary) ? 0 : from;
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === 'user' || !isSent(message)) return [];
  return message.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []));
}
