import { type List, toArray } from '../history.ts';
import { isSummary, type Message, markerOf } from '../message.ts';

/**
 * The view with the newest marker that keeps a tail, and its summary, moved before that tail. Unlike
 * the cut, this does not ask whether the summary finished or failed: a failed attempt that stored a
 * tail hides what precedes it. Source: OpenCode release history (F6; issue 42282).
 */
export function arrangeTail(list: List<Message>): List<Message> {
  const view = toArray(list);
  const markerIndex = view.findLastIndex((message) => tailStartOf(message) !== undefined);
  const marker = view[markerIndex];
  if (marker === undefined) return list;
  const tailIndex = view.findIndex(({ id }) => id === tailStartOf(marker));
  const summaryIndex = view.findIndex(
    (message, index) => index > markerIndex && isSummary(message) && message.parentId === marker.id,
  );
  if (tailIndex < 0 || tailIndex >= markerIndex || summaryIndex < 0) return list;
  return [
    ...view.slice(markerIndex, summaryIndex + 1),
    ...view.slice(tailIndex, markerIndex),
    ...view.slice(summaryIndex + 1),
  ];
}

function tailStartOf(message: Message): string | undefined {
  return markerOf(message)?.tailStartId;
}
