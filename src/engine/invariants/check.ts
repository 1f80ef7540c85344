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
  return check('prune', facts);
}

/** Laws that the end of a summary obeys, good or bad. */
export function checkPivot(facts: PivotFacts): readonly Violation[] {
  return check('pivot', facts);
}

/** Laws that a request obeys, all of it. */
export function checkRequest(facts: RequestFacts): readonly Violation[] {
  return createRequestChecker()(facts);
}

/** A checker that looks only at what is new while a view grows at its end, and else at all of it. */
export function createRequestChecker(): RequestChecker {
  let checked: readonly Message[] = [];
  let seenMessageIds = new Set<string>();
  let seenCallIds = new Set<string>();
  return ({ state, view }) => {
    const from = commonStart(checked, view);
    if (from === 0) [seenMessageIds, seenCallIds] = [new Set(), new Set()];
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

/** Messages with which both views start; none where the rest holds a summary, which may be a new boundary. */
function commonStart(checked: readonly Message[], view: readonly Message[]): number {
  const isGrown = checked.every((message, index) => view[index] === message);
  return isGrown && !view.slice(checked.length).some(isSummary) ? checked.length : 0;
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === 'user' || !isSent(message)) return [];
  return message.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []));
}
