import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../is-object.ts';

/** Whether a value is what was expected. Fields of objects that the expectation leaves out do not count. */
export function isAsExpected(got: unknown, expected: unknown): boolean {
  if (!isObject(expected) || !isObject(got))
    return isDeepStrictEqual(got ?? null, expected ?? null);
  return Object.entries(expected).every(([key, value]) => isAsExpected(got[key], value));
}
