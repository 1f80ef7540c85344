import * as z from 'zod';
import { describeNearest, LISTED_NAMES } from '../../lib/names.ts';
import { AMOUNT, COMPARISON, DURATION } from './amounts.ts';

const A_COMPARISON = 'a comparison, such as 3, "<= 30k", "in 3..5" or unknown';
const ABOVE_NOTHING = 'a number above 0';
const A_SHARE = 'a number above 0 and at most 1';

export const Tokens = amount('a whole number of tokens, such as 2000 or 28k');
export const Characters = amount('a whole number of characters, such as 5000 or 20k');
export const Bytes = amount('a whole number of bytes, such as 4000 or 4M');
export const Count = wholeNumber('a whole number from 1', 1);
export const Times = wholeNumber('a whole number from 1 to 1000', 1, 1_000);
export const Whole = wholeNumber('a whole number from 0', 0);
export const Positive = z.number(ABOVE_NOTHING).positive(ABOVE_NOTHING);
/** A part of something. */
export const Share = z.number(A_SHARE).positive(A_SHARE).max(1, A_SHARE);
export const Duration = matching('a duration, such as 500ms, 30s, 10m or 2h', DURATION);
export const Switch = z.boolean('true or false');
export const On = z.literal(true, 'true');
export const Text = matching('a text', /./s);
export const Compare = oneOf(A_COMPARISON, [
  z.number(A_COMPARISON),
  matching(A_COMPARISON, COMPARISON),
]);
export const THREAD = /^[\w.-]+\/[\w.-]+#\d+$/;

export function matching(expected: string, pattern: RegExp): z.ZodString {
  return z.string(expected).regex(pattern, expected);
}

export function wholeNumber(
  expected: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): z.ZodInt {
  return z.int(expected).min(least, expected).max(most, expected);
}

/** A value of the first kind that takes it. */
export function oneOf<const Options extends readonly z.ZodType[]>(
  expected: string | ((input: unknown) => string),
  options: Options,
): z.ZodUnion<Options> {
  const error = typeof expected === 'string' ? expected : toError(expected);
  return z.union(options, { error });
}

export function nameOf<Name extends string>(kind: string, names: readonly Name[]) {
  return z.enum(names, { error: toError((input) => expectName(kind, names, input)) });
}

/** Words for an expected name, with the nearest names of a long list. */
export function expectName(kind: string, names: readonly string[], input: unknown) {
  if (names.length <= LISTED_NAMES) return `${kind} (${names.join(', ')})`;
  if (typeof input !== 'string') return kind;
  return `${kind}${describeNearest(input, names)}`;
}

export function mapOf<Shape extends z.core.$ZodLooseShape>(expected: string, shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : expected,
  });
}

export function someOf<Item extends z.ZodType>(expected: string, item: Item) {
  return oneOf(expected, [item, z.array(item).min(1, expected)]);
}

/** A key that may be absent, with its words in the JSON Schema. */
export function told<Value extends z.ZodType>(value: Value, words: string) {
  return value.optional().describe(words);
}

function amount(expected: string) {
  return oneOf(expected, [z.int(expected).min(0, expected), matching(expected, AMOUNT)]);
}

function toError(expected: (input: unknown) => string) {
  return (issue: { readonly input?: unknown }): string => expected(issue.input);
}
