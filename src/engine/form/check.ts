/** What values from a caller have to be, and what is said where they are something else. */

/** Throws a `TypeError` where what stands under a name is not what it has to be. */
export type Check = (name: string, value: unknown) => void;

/** A check for each field of an object, also for those that may be absent. */
export type Fields<Value> = { readonly [Key in keyof Required<Value>]: Check };

/** Longest text that an error repeats, in characters. */
const SHOWN_CHARS = 80;

/** Any text, also an empty one. */
export const text: Check = (name, value) => {
  if (typeof value !== 'string') fail(name, 'a text', value);
};

/** A switch. */
export const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') fail(name, 'true or false', value);
};

/** A number of something; it may be without limit. */
export const amount: Check = (name, value) => {
  if (!(typeof value === 'number' && value >= 0)) fail(name, 'a number, 0 or more', value);
};

/** A number that can be counted with. */
export const finite: Check = (name, value) => {
  if (!Number.isFinite(value)) fail(name, 'a finite number', value);
};

/** What something is found by. */
export const id: Check = (name, value) => {
  if (typeof value !== 'string' || value === '') fail(name, 'a text that is not empty', value);
};

/** A function, whatever it takes and gives. */
export const callable: Check = (name, value) => {
  if (typeof value !== 'function') fail(name, 'a function', value);
};

/** One of the keys of a table. */
export function oneOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Check {
  const names = Object.keys(table).map(shown);
  const expected = names.length === 1 ? names.join() : `one of ${names.join(', ')}`;
  return (name, value) => {
    if (typeof value !== 'string' || !Object.hasOwn(table, value)) fail(name, expected, value);
  };
}

/** The same, or nothing. */
export function optional(check: Check): Check {
  return (name, value) => {
    if (value !== undefined) check(name, value);
  };
}

/** A list of such values. */
export function listOf(check: Check): Check {
  return (name, value) => {
    if (!Array.isArray(value)) fail(name, 'a list', value);
    value.forEach((item, index) => check(`${name}[${index}]`, item));
  };
}

/** An object with these fields and any others. */
export function having<Value>(checks: Partial<Fields<Value>>): Check {
  const all = Object.entries(checks) as readonly (readonly [string, Check])[];
  return (name, value) => {
    if (!isObject(value)) fail(name, 'an object', value);
    for (const [key, check] of all) check(`${name}.${key}`, Reflect.get(value, key));
  };
}

/** An object with these fields and no others. */
export function fields<Value>(checks: Fields<Value>): Check {
  const check = having<Value>(checks);
  const keys = Object.keys(checks);
  return (name, value) => {
    check(name, value);
    const unknown = Object.keys(value as object).find((key) => !keys.includes(key));
    if (unknown !== undefined) fail(name, `an object of ${keys.join(', ')}`, unknown);
  };
}

/** An object that says in one field what else it is made of. */
export function kindOf<Kind extends string>(
  key: string,
  forms: Readonly<Record<Kind, Check>>,
): Check {
  const isKind = oneOf(forms);
  return (name, value) => {
    if (!isObject(value)) fail(name, 'an object', value);
    const kind: unknown = Reflect.get(value, key);
    isKind(`${name}.${key}`, kind);
    forms[kind as Kind](name, value);
  };
}

/** Whether a value can have fields. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Tells what was expected under a name, and what came. */
export function fail(name: string, expected: string, value: unknown): never {
  throw new TypeError(`Expected \`${name}\` to be ${expected}, got ${shown(value)}.`);
}

/** A value as an error repeats it. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
