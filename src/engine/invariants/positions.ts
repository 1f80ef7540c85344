import type { Message } from '../message.ts';
import { findNewest, type List } from '../history.ts';

/** Where messages stand in a history, by id; those that do not are left out. Nobody looks past the oldest. */
export function positionsIn(
  history: List<Message>,
  messages: readonly Message[],
): ReadonlyMap<string, number> {
  const wanted = new Set<string>();
  for (const { id } of messages) wanted.add(id);
  const positions = new Map<string, number>();
  findNewest(history, ({ id }, index) => {
    if (wanted.delete(id)) positions.set(id, index);
    return wanted.size === 0;
  });
  return positions;
}
