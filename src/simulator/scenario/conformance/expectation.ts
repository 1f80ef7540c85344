import { isDeepStrictEqual } from 'node:util';

/** Whether a value is what was expected. Fields of objects that the expectation leaves out do not count. */
export function isAsExpected(got: unknown, expected: unknown): boolean {
  if (!isRecord(expected) || !isRecord(got))
    return isDeepStrictEqual(got ?? null, expected ?? null);
  return Object.entries(expected).every(([key, value]) => isAsExpected(got[key], value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
