import type { ModelContent } from '../../../engine/index.ts';
import { quoted } from '../../names.ts';
import type { RequestCheck } from './check.ts';

/** No id names two calls or two results. */
export const idsUnique: RequestCheck = {
  describes: 'No id is used for two calls, nor for two results',
  source: 'atomic#2051',
  scope: 'request',
  start: () => {
    const seenCallIds = new Set<string>();
    const seenResultIds = new Set<string>();
    return {
      next: ({ content }) => {
        const repeatedCall = firstRepeated(content, 'tool-call', seenCallIds);
        const repeatedResult = firstRepeated(content, 'tool-result', seenResultIds);
        if (repeatedCall !== undefined) return `has another call ${quoted(repeatedCall)}`;
        if (repeatedResult === undefined) return undefined;
        return `has another result for ${quoted(repeatedResult)}`;
      },
      back: ({ content }) => {
        for (const part of content) {
          if (part.type === 'tool-call') seenCallIds.delete(part.callId);
          if (part.type === 'tool-result') seenResultIds.delete(part.callId);
        }
      },
    };
  },
};

function firstRepeated(
  content: readonly ModelContent[],
  type: 'tool-call' | 'tool-result',
  seenIds: Set<string>,
): string | undefined {
  let repeated: string | undefined;
  for (const part of content) {
    if (part.type !== type) continue;
    if (seenIds.has(part.callId)) repeated ??= part.callId;
    seenIds.add(part.callId);
  }
  return repeated;
}
