/** Reads fields of data from outside that may be anything. */

import { z } from 'zod';
import { toMoment } from './time.ts';

/** No request of any model has held as much; a larger count is no count. */
const MAX_TOKENS = 1_000_000_000;

/** A text; anything else reads as absent. */
export const maybeText = lenient(toText);

/** An id; anything else, and an empty text, reads as absent. */
export const maybeId = lenient(toId);

/** A number that is finite; anything else reads as absent. */
export const maybeNumber = lenient((value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined,
);

/** A moment in ms since 1970; anything else, and what no date can name, reads as absent. */
export const maybeMoment = lenient(toMoment);

/** A number of tokens, whole; anything else, or more than any request has held, reads as absent. */
export const maybeTokens = lenient(toTokens);

/** Whether the value is `true`, and nothing that is merely truthy. */
export const flag = lenient((value) => value === true);

/** A list; anything else reads as an empty one. */
export const list = lenient(toList);

/** The value as a text; `undefined` where it is none. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as an id; `undefined` where it is none, as an empty text is. */
export function toId(value: unknown): string | undefined {
  return toText(value) || undefined;
}

/** The value as a whole number of tokens; `undefined` where it is none, or more than any request has held. */
export function toTokens(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Math.abs(value) <= MAX_TOKENS;
  return isCount ? Math.round(value) : undefined;
}

/** The value as a list; an empty one where it is none. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An object of that shape with the rest left out; anything but an object reads as absent. */
export function maybeObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined);
}

/** Tokens that are no fewer than none; none where they are absent. */
export function atLeastZero(tokens = 0): number {
  return Math.max(0, tokens);
}

function lenient<Value>(read: (value: unknown) => Value) {
  return z.unknown().optional().transform(read);
}
