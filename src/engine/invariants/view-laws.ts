import { isSummary, type Message, markerOf } from '../message.ts';
import { renderMessage } from '../render.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { ViewFacts } from './law.ts';
import { pairingProblems } from './pairing.ts';

/** Calls without their result, results without their call, and call ids that are used twice. */
export function findUnpairedCalls(facts: ViewFacts): readonly Finding[] {
  const { state, view, from, seenCallIds } = facts;
  const called = new Set<string>();
  const isUsed = (callId: string) => {
    const isOld = seenCallIds.has(callId) || called.has(callId);
    called.add(callId);
    return isOld;
  };
  return view.slice(from).flatMap((message) => {
    const sent = renderMessage(message, state.policy.render);
    return pairingProblems(sent, isUsed).flatMap((problem) => findingsIn([message], problem));
  });
}

/** Messages that a request holds more than once. */
export function findRepeatedMessages(facts: ViewFacts): readonly Finding[] {
  const { view, from, seenMessageIds } = facts;
  const ids = new Set<string>();
  const repeated = view.slice(from).filter(({ id }) => {
    const isOld = seenMessageIds.has(id) || ids.has(id);
    ids.add(id);
    return isOld;
  });
  return findingsIn(repeated, 'messages are shown twice');
}

/**
 * Messages that stand before older ones. Where a view starts with a pivot, the pivot (from its marker to
 * its summary) is in order, and so is all that follows, but the tail that it keeps may be older than it.
 */
export function findDisorder({ state, view, from }: ViewFacts): readonly Finding[] {
  const pivotEnd = from === 0 ? pivotLength(view) : 0;
  const rest = view.slice(from === 0 ? pivotEnd : from - 1);
  const positionOf = positionsIn(state.history, from === 0 ? undefined : rest[0]);
  const late = [view.slice(0, pivotEnd), rest].flatMap((messages) =>
    messages.filter((message, index) => {
      const older = messages[index - 1];
      return older !== undefined && (positionOf(message) ?? Infinity) < (positionOf(older) ?? -1);
    }),
  );
  return findingsIn(late, 'messages stand after newer ones');
}

/**
 * Where messages stand in the history, found fast from `first` on; `undefined` for one that is only in
 * the view.
 */
function positionsIn(history: readonly Message[], first: Message | undefined) {
  const start = Math.max(
    0,
    history.findLastIndex(({ id }) => id === first?.id),
  );
  const positions = new Map(history.slice(start).map(({ id }, index) => [id, start + index]));
  return ({ id }: Message): number | undefined => {
    const index = positions.get(id) ?? history.findIndex((message) => message.id === id);
    return index < 0 ? undefined : index;
  };
}

/** Messages of the pivot at the start of a view; 0 where it starts with none. */
function pivotLength(view: readonly Message[]): number {
  const first = view[0];
  if (first === undefined) return 0;
  if (isSummary(first)) return 1;
  if (markerOf(first) === undefined) return 0;
  return view.findIndex((message) => isSummary(message) && message.parentId === first.id) + 1;
}
