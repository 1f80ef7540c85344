import { quoted } from '../../lib/names.ts';
import type { RequestCheck } from './check.ts';

/** No id names two calls or two results. */
export const idsUnique: RequestCheck = {
  describes: 'No id is used for two calls or for two results',
  source: 'atomic#2051',
  scope: 'ids',
  start: () => {
    const seenCallIds = new Set<string>();
    const seenResultIds = new Set<string>();
    return {
      next: ({ content }) => {
        let repeatedCall: string | undefined;
        let repeatedResult: string | undefined;
        for (const part of content) {
          if (part.type === 'tool-call' && !addNew(seenCallIds, part.callId)) {
            repeatedCall ??= part.callId;
          } else if (part.type === 'tool-result' && !addNew(seenResultIds, part.callId)) {
            repeatedResult ??= part.callId;
          }
        }
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

/** Whether an id was not there before. */
function addNew(seenIds: Set<string>, id: string): boolean {
  const { size } = seenIds;
  return seenIds.add(id).size > size;
}
