import type { ModelContent } from '../../../engine/index.ts';
import type { RequestCheck, RequestMessage } from './check.ts';

/** Every text is well-formed, so that a strict reader of JSON takes it. */
export const textWellFormed: RequestCheck = {
  describes: 'No text has half a character in it',
  source: 'vercel/eve#3062, llumiverse#462',
  scope: 'message',
  start: () => ({
    next: (message) => (isMalformed(message) ? 'has text with a lone surrogate' : undefined),
  }),
};

/** Messages never change, so that each is looked through once, whoever sends it. */
const known = new WeakMap<RequestMessage, boolean>();

function isMalformed(message: RequestMessage): boolean {
  const found = known.get(message);
  if (found !== undefined) return found;
  const isFound = message.content.some(hasLoneSurrogate);
  known.set(message, isFound);
  return isFound;
}

function hasLoneSurrogate(content: ModelContent): boolean {
  // It needs no stack, however deep the input of a call is.
  const waiting: unknown[] = [content];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
}
