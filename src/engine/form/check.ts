/** What values from a caller have to be, and what is said where they are something else. */

import { isRecord } from '../read-field.ts';

/** What is wrong with a value; nothing where it is what it has to be. It is put into words only where there is something. */
export type Check = (value: unknown) => Fault | undefined;

/** What was expected somewhere in a value, and what stands there. */
export interface Fault {
  /** From the value on, such as `.parts[0].id`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/** A check for each field of an object, also for those that may be absent. */
export type Fields<Value> = { readonly [Key in keyof Required<Value>]: Check };

/** Longest text that an error repeats, in characters. */
const SHOWN_CHARS = 80;

/** Any text, also an empty one. */
export const text = being('a text', (value) => typeof value === 'string');

/** A switch. */
export const flag = being('true or false', (value) => typeof value === 'boolean');

/** A number of something; it may be without limit. */
export const amount = being(
  'a number, 0 or more',
  (value) => typeof value === 'number' && value >= 0,
);

/** A number that can be counted with. */
export const finite = being('a finite number', Number.isFinite);

/** How often something is. */
export const whole = being(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

/** What is checked where it is read. */
export const anything = being('anything', () => true);

/** What something is found by. */
export const id = being(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
);

/** A function, whatever it takes and gives. */
export const callable = being('a function', (value) => typeof value === 'function');

/** Something that can have fields. */
export const object = being('an object', isRecord);

/** A list of anything. */
export const list = being('a list', Array.isArray);

/** Whatever a question is answered with yes for. */
export function being(expected: string, holds: (value: unknown) => boolean): Check {
  return (got) => (holds(got) ? undefined : { path: '', expected, got });
}

/** A number of some things that can be compared with others. */
export function finiteOf(things = ''): Check {
  const expected =
    things === '' ? 'a finite number, 0 or more' : `a finite number of ${things}, 0 or more`;
  return being(expected, (value) => Number.isFinite(value) && (value as number) >= 0);
}

/** An object that has some fields, with whatever is in them. */
export function withKeys(expected: string, ...keys: readonly string[]): Check {
  return being(expected, (value) => isRecord(value) && keys.every((key) => key in value));
}

/** One of the keys of a table. */
export function oneOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Check {
  const names = Object.keys(table).map(shown);
  const expected = names.length === 1 ? names.join() : `one of ${names.join(', ')}`;
  return being(expected, (value) => typeof value === 'string' && Object.hasOwn(table, value));
}

/** What another check accepts, or nothing at all. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

/** Two checks, of which the second is asked only where the first finds nothing. */
export function both(first: Check, second: Check): Check {
  return (value) => first(value) ?? second(value);
}

/** A check that looks at no object again in which it found nothing: many runs go by one, which nobody changes. */
export function once(check: Check): Check {
  const known = new WeakSet<object>();
  return (value) => {
    if (isRecord(value) && known.has(value)) return undefined;
    const fault = check(value);
    if (fault === undefined && isRecord(value)) known.add(value);
    return fault;
  };
}

/** A list of such values; the first of them may have to be something else. */
export function listOf(check: Check, first: Check = check): Check {
  return both(list, (value) => {
    const items = value as readonly unknown[];
    for (let index = 0; index < items.length; index++) {
      const fault = (index === 0 ? first : check)(items[index]);
      if (fault !== undefined) return within(`[${index}]`, fault);
    }
    return undefined;
  });
}

/** An object with these fields and any others. */
export function having<Value>(checks: Partial<Fields<Value>>): Check {
  const all = Object.entries(checks) as readonly (readonly [string, Check])[];
  return both(object, (value) => {
    for (const [key, check] of all) {
      const fault = check(Reflect.get(value as object, key));
      if (fault !== undefined) return within(`.${key}`, fault);
    }
    return undefined;
  });
}

/** An object with these fields and no others. */
export function fields<Value>(checks: Fields<Value>): Check {
  const keys = Object.keys(checks);
  return both(having<Value>(checks), (value) => {
    const got = Object.keys(value as object).find((key) => !keys.includes(key));
    return got === undefined
      ? undefined
      : { path: '', expected: `an object with no other fields than ${keys.join(', ')}`, got };
  });
}

/** An object that says in one field what else it is made of. */
export function kindOf<Kind extends string>(
  key: string,
  forms: Readonly<Record<Kind, Check>>,
): Check {
  const isKind = oneOf(forms);
  return both(object, (value) => {
    const kind: unknown = Reflect.get(value as object, key);
    const fault = isKind(kind);
    return fault === undefined ? forms[kind as Kind](value) : within(`.${key}`, fault);
  });
}

/** The value that stands under a name. Throws a `TypeError` where it is not what it has to be. */
export function expectForm<Value>(name: string, value: Value, check: Check): Value {
  const fault = check(value);
  if (fault === undefined) return value;
  const { path, expected, got } = fault;
  throw new TypeError(`Expected \`${name}${path}\` to be ${expected}, got ${shown(got)}.`);
}

/** The text that stands under a name. Throws a `TypeError` where it is none. */
export function expectText(name: string, value: string): string {
  return expectForm(name, value, text);
}

/** A fault of a part, with its path from the whole. */
function within(path: string, fault: Fault): Fault {
  return { ...fault, path: path + fault.path };
}

/** A value as an error repeats it. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
