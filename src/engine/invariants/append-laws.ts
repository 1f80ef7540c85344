/** Laws about a history that grows. */

import { markerOf, type Message } from '../message.ts';
import { grownItems, hasGrown, type List, partingOf } from '../history.ts';
import { historyOf, type LoopState } from '../state.ts';
import { type Finding, findingsIn, idsOf } from './finding.ts';
import type { AppendFacts } from './law.ts';

/** How one history came out of another. */
interface Growth {
  readonly lost: readonly Message[];
  readonly added: readonly Message[];
  /** Messages that both have, but not in the same order. */
  readonly moved: readonly Message[];
}

const NOTHING: readonly Finding[] = [];

/** Whether a history is known to have kept all that it had, and to be given nothing that a policy with auto off has not. */
export function hasOnlyGrown(before: LoopState, after: LoopState): boolean {
  const [older, newer] = [historyOf(before), historyOf(after)];
  if (older.items === newer.items && older.length === newer.length) return true;
  const isGrown = hasGrown(newer, older);
  if (after.policy.trigger.auto) return isGrown || older.length === 0;
  return isGrown && !grownItems(newer, older).some(isAutomatic);
}

/** Messages that are gone or stand in another order; the marker of an ended attempt may go, and what was undone. */
export function findLostHistory({ before, after, revertTo }: AppendFacts): readonly Finding[] {
  if (keepsAllInPlace(historyOf(before), historyOf(after))) return NOTHING;
  const { lost, moved } = compareHistories(historyOf(before), historyOf(after));
  const undone = new Set(idsOf(undoneMessages(before, revertTo)));
  const missing = lost.filter(({ id }) => id !== pendingMarkerId(before) && !undone.has(id));
  return [
    ...findingsIn(missing, 'messages are gone'),
    ...findingsIn(moved, 'messages have changed places'),
  ];
}

/** Compactions that were queued by a trigger although the policy has none. */
export function findUnwantedMarkers({ before, after }: AppendFacts): readonly Finding[] {
  if (after.policy.trigger.auto) return NOTHING;
  const { added } = compareHistories(historyOf(before), historyOf(after));
  const queued = added.filter(isAutomatic);
  return findingsIn(queued, 'a compaction was queued with auto off');
}

/** The marker that a session is working off. */
export function pendingMarkerId({ phase }: LoopState): string | undefined {
  return phase.state === 'summarising' ? phase.markerId : undefined;
}

/** Whether a message queues a compaction that nobody asked for by hand. */
export function isAutomatic(message: Message | undefined): boolean {
  return message !== undefined && markerOf(message)?.auto === true;
}

/** Looks only at what follows the messages that both histories start with. */
export function compareHistories(before: List<Message>, after: List<Message>): Growth {
  const { before: oldRest, after: newRest } = partingOf(before, after);
  if (oldRest.length === 0) return { lost: [], added: newRest, moved: [] };
  const [oldIds, newIds] = [new Set(idsOf(oldRest)), new Set(idsOf(newRest))];
  const kept = oldRest.filter(({ id }) => newIds.has(id));
  const found = newRest.filter(({ id }) => oldIds.has(id));
  return {
    lost: oldRest.filter(({ id }) => !newIds.has(id)),
    added: newRest.filter(({ id }) => !oldIds.has(id)),
    moved: kept.filter(({ id }, index) => found[index]?.id !== id),
  };
}

function undoneMessages({ history }: LoopState, revertTo?: string): readonly Message[] {
  if (revertTo === undefined) return [];
  const index = history.findIndex(({ id }) => id === revertTo);
  return index < 0 ? [] : history.slice(index);
}

/** Whether every message stands where it did, whatever it holds now. */
function keepsAllInPlace(before: List<Message>, after: List<Message>): boolean {
  const { before: old, after: now } = partingOf(before, after);
  const isKept = (message: Message, index: number) =>
    message === now[index] || message.id === now[index]?.id;
  return old.every(isKept);
}
