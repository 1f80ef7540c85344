import { isSummary, type Message, type Move, viewOf } from '../../../engine/index.ts';

/**
 * Whether all that a move cleared stood behind a summary already, which the view shows in its place: no request shows
 * that it was cleared. Not so of a move that cleared nothing.
 */
export function isAllBehindSummary({ before, next }: Move): boolean {
  const cleared = next.events.flatMap((event) =>
    event.type === 'pruned' && event.plan.state === 'fire' ? event.plan.partIds : [],
  );
  if (cleared.length === 0) return false;
  const view = viewOf(before);
  const summaryId = view.find(isSummary)?.id;
  const end = before.history.findLastIndex((one) => one.id === summaryId && isSummary(one));
  const behind = partIdsOf(before.history.slice(0, Math.max(0, end)));
  const shown = partIdsOf(view);
  return cleared.every((id) => behind.has(id) && !shown.has(id));
}

function partIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ parts }) => parts.map(({ id }) => id)));
}
