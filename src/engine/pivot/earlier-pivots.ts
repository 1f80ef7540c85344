import { type AssistantMessage, isComplete, isPrompt, markerOf, type Message } from '../message.ts';

/**
 * Summaries that stand for what was before them, the oldest first: those that answer a marker. An attempt that failed is
 * none, nor is one that was made again for a prompt, which stands for nothing. Where a view leaves markers out, the prompts
 * that it shows tell the latter. Source: comparison of peers, section 1: pairs are hidden.
 */
export function earlierPivots(messages: readonly Message[]): readonly AssistantMessage[] {
  const newest = messages.findLastIndex(isComplete);
  if (newest < 0) return [];
  const before = messages.slice(0, newest + 1);
  const summaries = before.filter(isComplete);
  const markers = idsOf(before, (message) => markerOf(message) !== undefined);
  if (markers.size > 0) return summaries.filter(({ parentId }) => markers.has(parentId));
  const prompts = idsOf(messages, isPrompt);
  return summaries.filter(({ parentId }) => !prompts.has(parentId));
}

/** The messages without the pivots that they hold, summaries and their markers. */
export function withoutPivots(messages: readonly Message[]): readonly Message[] {
  const pivots = earlierPivots(messages);
  const hidden = new Set(pivots.flatMap(({ id, parentId }) => [id, parentId]));
  return hidden.size === 0 ? messages : messages.filter(({ id }) => !hidden.has(id));
}

function idsOf(messages: readonly Message[], test: (message: Message) => boolean) {
  return new Set(messages.flatMap((message) => (test(message) ? [message.id] : [])));
}
