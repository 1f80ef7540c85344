/** Checks of what a program hands over to a public function: one sentence of one `TypeError`. */

import * as z from 'zod';
import { quoted } from './names.ts';

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a finite number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** An amount of tokens. */
export const Tokens = amount('a finite number of tokens, 0 or more');

/** A whole number that counts something. */
export const Count = z
  .int({ error: 'a whole number, 0 or more' })
  .min(0, 'a whole number, 0 or more');

/** A number from 0 on, with the words of its error. */
export function amount(words = 'a finite number, 0 or more') {
  return z.number({ error: words }).min(0, words);
}

/** A function, whatever it takes and gives. */
export function callable<Value>() {
  return z.custom<Value>((value) => typeof value === 'function', 'a function');
}

/** An object of a program, known by some of its fields. */
export function known<Value extends object>(words: string, ...keys: readonly string[]) {
  const isOne = (value: unknown) =>
    typeof value === 'object' && value !== null && keys.every((key) => key in value);
  return z.custom<Value>(isOne, words);
}

/** The value itself. Throws a `TypeError` that names the first field that is not what it has to be. */
export function expectValid<Value>(name: string, value: Value, schema: z.ZodType): Value {
  const { error } = schema.safeParse(value, { reportInput: true });
  const issue = error?.issues[0];
  if (issue === undefined) return value;
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const { expected, got } = describe(issue, schema);
  throw new TypeError(`Expected \`${name}${path.join('')}\` to be ${expected}, got ${got}.`);
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType) {
  const got = shown(issue.input);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const fields = schema instanceof z.ZodObject && issue.path.length === 0 ? schema.shape : {};
      const names = Object.keys(fields).join(', ');
      const others = names === '' ? 'without other fields' : `with no other fields than ${names}`;
      return { expected: `an object ${others}`, got: shown(issue.keys[0]) };
    }
    case 'invalid_value':
      return {
        expected: `one of ${issue.values.map((one) => quoted(String(one))).join(', ')}`,
        got,
      };
    case 'invalid_union':
      return { expected: 'a kind that there is', got: shown(fieldIn(issue.input, issue.path)) };
    case 'invalid_type':
      return { expected: ownWords(issue) ?? WORDS[issue.expected] ?? issue.expected, got };
    default:
      return { expected: ownWords(issue) ?? issue.message, got };
  }
}

function ownWords({ message }: z.core.$ZodIssue): string | undefined {
  return /^(?:Invalid|Too|Unrecognized) /.test(message) ? undefined : message;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

function fieldIn(value: unknown, path: readonly PropertyKey[]): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject ? Reflect.get(value, path.at(-1) ?? '') : value;
}
