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

/** Messages never change, nor the inputs and attachments in them: each is looked through once, whoever sends it. */
const known = new WeakMap<object, boolean>();

function isMalformed(message: RequestMessage): boolean {
  return knownOr(message, ({ content }) =>
    content.some((one) => Object.values<unknown>(one).some(isMalformedValue)),
  );
}

function isMalformedValue(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  return typeof value === 'object' && value !== null && knownOr(value, hasLoneSurrogate);
}

function knownOr<Value extends object>(value: Value, find: (value: Value) => boolean): boolean {
  const found = known.get(value) ?? find(value);
  known.set(value, found);
  return found;
}

function hasLoneSurrogate(whole: object): boolean {
  // It needs no stack, however deep the input of a call is.
  const waiting: unknown[] = [whole];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
}
