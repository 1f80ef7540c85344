import { type Message, markerOf } from '../message.ts';
import { findNewest, itemAt, itemsFrom, type List, rewriteFrom } from '../history.ts';
import { type Summarising } from '../state.ts';

/** The marker of an attempt; absent where it is gone. */
export function findMarker(history: List<Message>, { markerId }: Summarising) {
  const message = itemAt(
    history,
    findNewest(history, ({ id }) => id === markerId),
  );
  return message === undefined ? undefined : markerOf(message);
}

/** The history without the marker of an attempt. */
export function withoutMarker(history: List<Message>, { markerId }: Summarising): List<Message> {
  const index = findNewest(history, ({ id }) => id === markerId);
  if (index < 0) return history;
  return rewriteFrom(history, index, itemsFrom(history, index + 1));
}

/** Stores where the kept tail starts on the marker that the summary answers, where that is one: views look for it there. */
export function withTail(
  history: List<Message>,
  { cut: { tailStartId }, parentId }: Summarising,
): List<Message> {
  if (tailStartId === undefined) return history;
  const index = findNewest(history, ({ id }) => id === parentId);
  const marker = itemAt(history, index);
  if (marker === undefined || markerOf(marker) === undefined) return history;
  const parts = marker.parts.map((part) =>
    part.type === 'compaction' ? { ...part, tailStartId } : part,
  );
  return rewriteFrom(history, index, [{ ...marker, parts }, ...itemsFrom(history, index + 1)]);
}
