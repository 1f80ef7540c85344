import * as z from 'zod';
import { isObject } from '../../lib/json.ts';

/** What a schema of records leaves out: assigned to a plain object, it would be no key. */
const UNSAFE = /^=*__proto__$/;
const MARK = '=';

/** A map of values under keys that are anybody's: `__proto__` is one like any other. */
export function recordOf<Value extends z.ZodType>(value: Value) {
  const record = z.record(z.string(), value);
  return z.preprocess(
    (input) => (isObject(input) ? withKeys(input, toSafe) : input),
    record.overwrite((safe) => withKeys(safe, fromSafe)),
  );
}

function withKeys<Values extends object>(values: Values, rename: (key: string) => string): Values {
  const entries = Object.entries(values).map(([key, value]) => [rename(key), value] as const);
  return Object.fromEntries(entries) as Values;
}

function toSafe(key: string): string {
  return UNSAFE.test(key) ? `${MARK}${key}` : key;
}

function fromSafe(key: string): string {
  return UNSAFE.test(key) ? key.slice(MARK.length) : key;
}
