import { type CompactionPart, type Message, markerOf } from '../../src/engine/index.ts';

/** What a release shows of a history. */
export interface ReleasedView {
  /** Everything from the marker on, from its tail on, or the tail behind the summary. */
  readonly shows: 'from-marker' | 'from-tail' | 'tail-last';
  /** Whether a summary with an error is a boundary as well. */
  readonly acceptsErrors: boolean;
}

/** The view of a release, read from the newest message backwards. Source: OpenCode release history, F3 to F6. */
export function releasedView(
  history: readonly Message[],
  { shows, acceptsErrors }: ReleasedView,
): readonly Message[] {
  const view: Message[] = [];
  const answered = new Set<string>();
  let until: string | undefined;
  for (const message of history.toReversed()) {
    view.unshift(message);
    if (until !== undefined) {
      if (message.id === until) break;
      continue;
    }
    const marker = answered.has(message.id) ? markerOf(message) : undefined;
    if (marker !== undefined) {
      if (shows === 'from-marker' || marker.tailStartId === undefined) break;
      until = marker.tailStartId;
    }
    if (message.role !== 'assistant' || message.summary !== true || !message.finish) continue;
    if (acceptsErrors || message.error === undefined) answered.add(message.parentId);
  }
  return shows === 'tail-last' ? moveTail(view) : view;
}

/** The newest marker that names a tail, and its summary, before that tail, whatever became of the summary. */
function moveTail(view: readonly Message[]): readonly Message[] {
  const at = view.findLastIndex((message) => tailOf(message) !== undefined);
  const marker = view[at];
  if (marker === undefined) return view;
  const tail = view.findIndex(({ id }) => id === tailOf(marker));
  const summary = view.findIndex(
    (message, index) =>
      index > at &&
      message.role === 'assistant' &&
      message.summary &&
      message.parentId === marker.id,
  );
  if (tail < 0 || tail >= at || summary < 0) return view;
  return [...view.slice(at, summary + 1), ...view.slice(tail, at), ...view.slice(summary + 1)];
}

function tailOf(message: Message): CompactionPart['tailStartId'] {
  return markerOf(message)?.tailStartId;
}
