import { isSummary, type Message } from '../message.ts';
import { isSent } from '../render.ts';
import { commonLength, itemsFrom } from '../series/series.ts';
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
import { pairedCallsOf } from './pairing.ts';
import { clearedBy } from './prune-laws.ts';

/** A law that does not hold, where, and why. */
export interface Violation extends Finding {
  readonly law: LawName;
}

/** Checks the requests of a session one after the other. */
export type RequestChecker = (facts: RequestFacts) => readonly Violation[];

const NO_CALLS: readonly string[] = [];

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
  const forget = (message: Message) => {
    seenMessageIds.delete(message.id);
    for (const callId of callIdsOf(message)) seenCallIds.delete(callId);
  };
  const remember = (message: Message) => {
    seenMessageIds.add(message.id);
    for (const callId of callIdsOf(message)) seenCallIds.add(callId);
  };
  return ({ state, view }) => {
    const { from, added } = whatIsNew(checked, view);
    if (from < checked.length) itemsFrom(checked, from).forEach(forget);
    const facts = { state, view, from, added, seenMessageIds, seenCallIds };
    const violations = check('request', facts);
    added.forEach(remember);
    checked = view;
    return violations;
  };
}

/** Laws in their order, by when they are checked. */
const lawsAt: { readonly [At in Moment]: readonly LawAt<At>[] } = {
  append: lawsOf('append'),
  prune: lawsOf('prune'),
  pivot: lawsOf('pivot'),
  request: lawsOf('request'),
};

interface LawAt<At extends Moment> {
  readonly name: LawName;
  readonly find: (facts: FactsByMoment[At]) => readonly Finding[];
}

function lawsOf<At extends Moment>(moment: At): readonly LawAt<At>[] {
  const all: readonly (readonly [string, Law])[] = Object.entries(laws);
  return all.flatMap(([name, law]) => {
    const find = law.check[moment];
    return find === undefined ? [] : [{ name: name as LawName, find }];
  });
}

const HELD: readonly Violation[] = [];

function check<At extends Moment>(moment: At, facts: FactsByMoment[At]): readonly Violation[] {
  let violations = HELD;
  for (const { name, find } of lawsAt[moment]) {
    const findings = find(facts);
    if (findings.length === 0) continue;
    violations = [...violations, ...findings.map((finding) => ({ law: name, ...finding }))];
  }
  return violations;
}

/** Where to go on in a view that may start as one before it, and what follows from there on. */
function whatIsNew(checked: readonly Message[], view: readonly Message[]) {
  const from = commonLength(checked, view);
  const added = itemsFrom(view, from);
  return added.some(isSummary) ? { from: 0, added: itemsFrom(view, 0) } : { from, added };
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === 'user' || !isSent(message)) return NO_CALLS;
  return (
    pairedCallsOf(message) ??
    message.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []))
  );
}
