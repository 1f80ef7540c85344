import { type Message, markerOf, type UserMessage } from '../message.ts';

/** What a pivot summarises, and which prompt is sent again after it. */
export interface Cut {
  readonly head: readonly Message[];
  readonly replay?: UserMessage;
}

/**
 * The head of a compaction that `markerId` queued: the whole view, or, when a refused prompt is to be
 * sent again, what precedes that prompt. Without another user message before it nothing is taken out.
 * Source: OpenCode 1.2.16; design document 003.
 */
export function cutForMarker(view: readonly Message[], markerId: string, mayReplay: boolean): Cut {
  if (!mayReplay) return { head: view };
  const markerIndex = view.findIndex((message) => message.id === markerId);
  const replayIndex = view.findLastIndex(
    (message, index) => index < markerIndex && isPrompt(message),
  );
  const head = view.slice(0, Math.max(0, replayIndex));
  const replay = view[replayIndex];
  if (replay?.role !== 'user' || !head.some(isPrompt)) return { head: view };
  return { head, replay };
}

function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}
