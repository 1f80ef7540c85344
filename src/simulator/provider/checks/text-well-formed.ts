import { perKey } from '../../../engine/internal.ts';
import type { RequestCheck, RequestMessage } from './check.ts';

/** Every text is well-formed, so that a strict reader of JSON takes it. */
export const textWellFormed: RequestCheck = {
  describes: 'No text contains half a character (a lone surrogate)',
  source: 'vercel/eve#3062, llumiverse#462',
  scope: 'message',
  start: () => ({
    next: (message) => (isMalformed(message) ? 'has text with a lone surrogate' : undefined),
  }),
};

const isMalformed = perKey(({ content }: RequestMessage) =>
  content.some((one) => Object.values<unknown>(one).some(isMalformedValue)),
);

/** Inputs and attachments are looked through once, whatever becomes of the messages around them. */
const hasLoneSurrogate = perKey((whole: object): boolean => {
  // It needs no stack, however deep the input of a call is.
  const waiting: unknown[] = [whole];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
});

function isMalformedValue(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  return typeof value === 'object' && value !== null && hasLoneSurrogate(value);
}
