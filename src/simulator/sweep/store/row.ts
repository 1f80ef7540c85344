import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject, type Issue } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { ModeShape, StateShape } from '../../report/saved/shapes.ts';
import type { SettingValues } from '../../scenario/settings.ts';

/** One session in one cell of a sweep, as a line of its results. */
export interface ResultRow extends RunRecord {
  /** Hash of the session's content. */
  readonly sessionHash: string;
  /** The cell's id. */
  readonly cell: string;
  /** Settings of this cell; with policy, model and summarizer they name it. */
  readonly settings: SettingValues;
  /** Hash of the run's events; equal where a setting changed nothing. Empty for a session that was not run. */
  readonly eventDigest: string;
}

/** A kind of value, in the words of schemas. */
interface Kind {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

/** Where a row stands; lines count from 1. */
interface RowPlace {
  readonly file: string;
  readonly line: number;
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

/** Fields of a row besides its settings and metrics. */
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
  ['eventDigest', text],
];

/** Throws `HarnessError` at a row of results that has something else where a name or a number should be. */
export function checkRow(row: ResultRow, { file, line }: RowPlace): void {
  const issue = findBadField(row);
  if (issue === undefined) return;
  const message = `Expected ${quotedLong(file)} to be results of 'sweep', but line ${line} is not a result, at ${describeIssue(issue)}. Without that line, the same sweep makes its run again.`;
  throw new HarnessError('BAD_RESULTS', message);
}

/** The fault of a row's metrics, each a number or unknown; `undefined` if there is none. */
function findBadMetric(metrics: unknown): Issue | undefined {
  return findBadValue(metrics, amount);
}

function findBadValue(values: unknown, { expected, accepts }: Kind): Issue | undefined {
  if (!isObject(values)) return { path: [], message: describe('object', values) };
  if (Object.values(values).every(accepts)) return undefined;
  const [name = '', value] = Object.entries(values).find(([, one]) => !accepts(one)) ?? [];
  return { path: [name], message: describe(expected, value) };
}

function describe(expected: string, value: unknown): string {
  return `expected ${expected}, received ${typeOf(value)}`;
}

/** JSON has numbers that are too large for any. */
function typeOf(value: unknown): string {
  if (value === Infinity || value === -Infinity) return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The fault of a row; `undefined` if there is none. By hand and not by a schema, since a sweep reads hundreds of thousands of rows. */
function findBadField(row: ResultRow): Issue | undefined {
  for (const [name, { expected, accepts }] of FIELDS) {
    if (!accepts(row[name])) return { path: [name], message: describe(expected, row[name]) };
  }
  return (
    within('settings', findBadValue(row.settings, setting)) ??
    within('metrics', findBadMetric(row.metrics))
  );
}

function within(name: string, issue: Issue | undefined): Issue | undefined {
  return issue && { ...issue, path: [name, ...issue.path] };
}

function optional({ expected, accepts }: Kind): Kind {
  return { expected, accepts: (value) => value === undefined || accepts(value) };
}

function oneOf(names: readonly string[]): Kind {
  const known: ReadonlySet<unknown> = new Set(names);
  return {
    expected: `one of ${names.map((name) => JSON.stringify(name)).join('|')}`,
    accepts: (value) => known.has(value),
  };
}
