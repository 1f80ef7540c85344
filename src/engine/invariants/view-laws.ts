/** Laws about the view that a request shows. */

import { isSummary, type Message, markerOf } from '../message.ts';
import { endAlike, itemAt } from '../history.ts';
import { historyOf } from '../state.ts';
import { type Finding, findingsIn } from './finding.ts';
import type { ViewFacts } from './law.ts';
import { positionsIn } from './positions.ts';

const NOTHING: readonly Finding[] = [];

/** Calls without their result, results without their call, and call ids that are used twice. */
export function findUnpairedCalls({ unpaired }: ViewFacts): readonly Finding[] {
  if (unpaired.length === 0) return NOTHING;
  return unpaired.flatMap(({ message, problems }) =>
    problems.flatMap((problem) => findingsIn([message], problem)),
  );
}

/** Messages that a request holds more than once. */
export function findRepeatedMessages({ repeated }: ViewFacts): readonly Finding[] {
  return findingsIn(repeated, 'messages are shown twice');
}

/**
 * Messages that stand before older ones. Where a view starts with a pivot, the pivot (from its marker to
 * its summary) is in order, and so is all that follows, but the tail that it keeps may be older than it.
 */
export function findDisorder({
  state,
  view,
  from,
  added,
  repeated,
}: ViewFacts): readonly Finding[] {
  // What stands last in the history, under ids that nothing else has, is in order whatever stands before it.
  if (repeated.length === 0 && endAlike(view, historyOf(state), added.length)) return NOTHING;
  const pivotEnd = from === 0 ? pivotLength(added) : 0;
  const newest = itemAt(view, from - 1);
  const rest = newest === undefined ? added.slice(pivotEnd) : [newest, ...added];
  const positions = positionsIn(historyOf(state), pivotEnd === 0 ? rest : added);
  const late = [...lateIn(added.slice(0, pivotEnd), positions), ...lateIn(rest, positions)];
  return findingsIn(late, 'messages stand after newer ones');
}

function lateIn(
  messages: readonly Message[],
  positions: ReadonlyMap<string, number>,
): readonly Message[] {
  return messages.filter(({ id }, index) => {
    const older = messages[index - 1];
    if (older === undefined) return false;
    return (positions.get(id) ?? Infinity) < (positions.get(older.id) ?? -1);
  });
}

/** Messages of the pivot at the start of a view; 0 where it starts with none. */
function pivotLength(view: readonly Message[]): number {
  const [first] = view;
  if (first === undefined) return 0;
  if (isSummary(first)) return 1;
  if (markerOf(first) === undefined) return 0;
  return view.findIndex((message) => isSummary(message) && message.parentId === first.id) + 1;
}
