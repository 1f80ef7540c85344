import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { ModeShape, StateShape } from '../../report/saved/shapes.ts';
import type { SettingValues } from '../../scenario/settings.ts';

export interface ResultRow extends RunRecord {
  readonly sessionHash: string;
  readonly cell: string;
  readonly settings: SettingValues;
  /** Hash of the run's events; equal where a setting changed nothing. Empty for a session that was not run. */
  readonly eventDigest: string;
}

interface Kind {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const text: Kind = { expected: 'string', accepts: (value) => typeof value === 'string' };
const whole: Kind = { expected: 'integer', accepts: Number.isSafeInteger };
const amount: Kind = {
  expected: 'number',
  accepts: (value) => value === null || Number.isFinite(value),
};
const list: Kind = { expected: 'array', accepts: Array.isArray };
const setting: Kind = {
  expected: 'number, boolean or string',
  accepts: (value) =>
    typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
};

const FIELDS: readonly (readonly [name: keyof ResultRow, kind: Kind])[] = [
  ['session', text],
  ['family', optional(text)],
  ['sessionHash', text],
  ['cell', text],
  ['policy', text],
  ['model', text],
  ['summarizer', text],
  ['seed', whole],
  ['mode', optional(oneOf(ModeShape.options))],
  ['state', oneOf(StateShape.options)],
  ['reason', optional(text)],
  ['impossible', optional(text)],
  ['baseline', optional(oneOf(['recorded', 'none']))],
  ['fit', optional(list)],
  ['findings', optional(list)],
  ['eventDigest', text],
];

/** Throws `HarnessError` at a malformed row; by hand, since a sweep reads hundreds of thousands of rows. */
export function checkRow(row: ResultRow, file: string, line: number) {
  const wrong = FIELDS.find(([name, { accepts }]) => !accepts(row[name]));
  const issue = wrong
    ? toIssue([wrong[0]], wrong[1], row[wrong[0]])
    : (findFault('settings', row.settings, setting) ?? findFault('metrics', row.metrics, amount));
  if (issue === undefined) return;
  const message = `Expected ${quotedLong(file)} to be results of 'sweep', but line ${line} is not a result, at ${describeIssue(issue)}. Without that line, the same sweep makes its run again.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function findFault(name: string, values: unknown, kind: Kind) {
  if (!isObject(values)) return toIssue([name], { expected: 'object' }, values);
  if (Object.values(values).every(kind.accepts)) return undefined;
  const [key = '', value] = Object.entries(values).find(([, one]) => !kind.accepts(one)) ?? [];
  return toIssue([name, key], kind, value);
}

function toIssue(path: readonly string[], { expected }: Pick<Kind, 'expected'>, got: unknown) {
  const type = Array.isArray(got) ? 'array' : typeof got;
  // JSON has numbers that are too large for any.
  const isNamed = got === Infinity || got === -Infinity || got === null;
  return { path, message: `expected ${expected}, received ${isNamed ? String(got) : type}` };
}

function optional({ expected, accepts }: Kind): Kind {
  return { expected, accepts: (value) => value === undefined || accepts(value) };
}

function oneOf(names: readonly string[]): Kind {
  const expected = `one of ${names.map((name) => JSON.stringify(name)).join('|')}`;
  return { expected, accepts: (value) => names.some((name) => name === value) };
}
