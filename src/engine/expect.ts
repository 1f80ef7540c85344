/** Checks of a caller's values: what is wrong first is a `TypeError` of one sentence. */

import { isRecord } from './values.ts';

const KINDS = {
  text: { expected: 'a text', holds: (value: unknown) => typeof value === 'string' },
  id: {
    expected: 'a text that is not empty',
    holds: (value: unknown) => typeof value === 'string' && value !== '',
  },
  flag: { expected: 'true or false', holds: (value: unknown) => typeof value === 'boolean' },
  number: { expected: 'a finite number', holds: Number.isFinite },
  amount: {
    expected: 'a number, 0 or more',
    holds: (value: unknown) => typeof value === 'number' && value >= 0,
  },
  tokens: {
    expected: 'a finite number of tokens, 0 or more',
    holds: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
  },
  /** Releases stored outputs below 0, so that these are taken. */
  usage: { expected: 'a finite number of tokens', holds: Number.isFinite },
  function: { expected: 'a function', holds: (value: unknown) => typeof value === 'function' },
  object: { expected: 'an object', holds: isRecord },
  list: { expected: 'a list', holds: Array.isArray },
} as const;

type Kind = keyof typeof KINDS;

/** Fields of an object by their kinds; those with a question mark may be absent. */
export type Fields = Readonly<Record<string, Kind | `${Kind}?`>>;

const SHOWN_CHARS = 80;

/** Fields of one kind, by their names. */
export function fieldsOf(kind: Kind, names: string): Fields {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

/** Throws the sentence about a value that is not what it has to be. */
export function refuse(name: string, expected: string, got: unknown): never {
  throw new TypeError(`Expected \`${name}\` to be ${expected}, got ${shown(got)}.`);
}

/** The value itself, if it is of a kind. */
export function expectKind<Value>(name: string, value: Value, kind: Kind): Value {
  const { expected, holds } = KINDS[kind];
  return holds(value) ? value : refuse(name, expected, value);
}

/** Refuses what is no object with these fields; it may have others. */
export function expectFields(name: string, value: unknown, fields: Fields): void {
  if (!isRecord(value)) refuse(name, 'an object', value);
  for (const [key, kind] of Object.entries(fields)) {
    const field = value[key];
    if (field === undefined && kind.endsWith('?')) continue;
    const { expected, holds } = KINDS[kind.replace('?', '') as Kind];
    if (!holds(field)) refuse(`${name}.${key}`, expected, field);
  }
}

/** Refuses what is no object with these fields alone. */
export function expectOnlyFields(name: string, value: unknown, fields: Fields): void {
  expectFields(name, value, fields);
  const keys = Object.keys(fields);
  const other = Object.keys(Object(value)).find((key) => !keys.includes(key));
  if (other !== undefined)
    refuse(name, `an object with no other fields than ${keys.join(', ')}`, other);
}

/** The row of a table that a name stands for. */
export function expectNamed<Row>(
  name: string,
  value: unknown,
  table: Readonly<Record<string, Row>>,
): Row {
  if (typeof value === 'string' && Object.hasOwn(table, value)) return table[value] as Row;
  const names = Object.keys(table).map(shown);
  return refuse(name, names.length === 1 ? names.join() : `one of ${names.join(', ')}`, value);
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
