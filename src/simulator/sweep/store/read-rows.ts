import { join } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import {
  describeFault,
  faultCode,
  isFault,
  openReader,
  type Reader,
  RESULTS_FILE,
} from '../../lib/files.ts';
import { describeIssue, isObject, parseJson } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { isInShard, nameShard, type SweepHeader } from './header.ts';
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

interface Line {
  readonly number: number;
  readonly text: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** True if no line break ends it, as is possible for the last line. */
  readonly isOpen: boolean;
}

export const CHUNK_BYTES = 1 << 20;

export const LINE_BREAK = 10;

export interface SweepFolder {
  readonly folder: string;
  readonly header: SweepHeader;
}

export type Places = ReturnType<typeof createPlaces>;

type RowKey = Pick<ResultRow, 'session' | 'sessionHash' | 'cell' | 'seed'>;

export interface Whole {
  readonly total: number;
  readonly shard: string;
}

type PlacedBy = Pick<SweepHeader, 'sessions' | 'cells' | 'seeds' | 'shard'>;

export function* readRows({ folder, header }: SweepFolder): Generator<ResultRow, void, void> {
  const isFirst = firstInSweep(header);
  const file = join(folder, RESULTS_FILE);
  for (const { text, number } of readLines(file)) {
    const row = parseRow(text);
    if (row === undefined || !isFirst(row)) continue;
    checkRow(row, file, number);
    yield row;
  }
}

export function* readOnlyRows(
  file: string,
  header: SweepHeader | undefined,
): Generator<ResultRow, void, void> {
  const isFirst = header === undefined ? firstOfAny() : firstInSweep(header);
  for (const { text, isOpen, number: line } of readAllLines(file)) {
    const row = parseRow(text);
    if (row) checkRow(row, file, line);
    if (row && isFirst(row)) yield row;
    // A torn one goes.
    if (row === undefined && !isOpen) {
      const message = `Expected ${quotedLong(file)} to have a sweep row on each line, got something else on line ${line}.`;
      throw new HarnessError('BAD_RESULTS', message);
    }
  }
}

export function firstOfAny(): (row: Partial<RowKey>) => boolean {
  const seen = new Set<string>();
  return ({ session, sessionHash, cell, seed }) => {
    const { size } = seen;
    return seen.add(JSON.stringify([session, sessionHash, cell, seed])).size > size;
  };
}

/** The places of a sweep: sessions by name, then cells and seeds. */
export function createPlaces({ sessions, cells, seeds, shard }: PlacedBy) {
  const sessionIndices = new Map(sessions.map(({ name }, index) => [name, index]));
  const cellIndices = new Map(cells.map(({ id }, index) => [id, index]));
  const seedIndices = new Map(seeds.map((seed, index) => [seed, index]));
  const perSession = cells.length * seeds.length;
  return {
    total: sessions.length * perSession,
    sessionOf: (place: number) => Math.floor(place / perSession),
    placeOfRow: ({ session, sessionHash, cell, seed }: RowKey) => {
      const sessionIndex = sessionIndices.get(session);
      const [cellIndex, seedIndex] = [cellIndices.get(cell), seedIndices.get(seed)];
      if (sessionIndex === undefined || cellIndex === undefined || seedIndex === undefined)
        return undefined;
      const isOwn = sessions[sessionIndex]?.hash === sessionHash && isInShard(sessionHash, shard);
      return isOwn ? sessionIndex * perSession + cellIndex * seeds.length + seedIndex : undefined;
    },
  };
}

export function countOwnRows({ sessions, cells, seeds, shard }: PlacedBy) {
  const own = sessions.filter(({ hash }) => isInShard(hash, shard));
  return own.length * cells.length * seeds.length;
}

export function wholeOf(header: PlacedBy) {
  return { total: countOwnRows(header), shard: nameShard(header.shard) };
}

export function parseRow(line: string) {
  const value = parseJson(line);
  return isObject(value) && 'cell' in value && 'metrics' in value
    ? (value as unknown as ResultRow)
    : undefined;
}

/** The lines of a file that end with a line break; what a torn write left behind is none. */
export function* readLines(file: string): Generator<Line, void, void> {
  for (const line of readAllLines(file)) if (!line.isOpen) yield line;
}

/** All lines of a file, the last one maybe open. Throws `HarnessError` where it cannot be read. */
export function* readAllLines(file: string): Generator<Line, void, void> {
  let reader: Reader | undefined;
  try {
    reader = openReader(file);
    yield* linesOf(reader);
  } catch (error) {
    const isTooLong = faultCode(error) === 'ERR_STRING_TOO_LONG';
    if (!isTooLong && !isFault(error)) throw error;
    const expected = isTooLong
      ? 'to have shorter lines, got one of more than 512 MB'
      : `to be a readable file, got ${describeFault(error)}`;
    const message = `Expected ${quotedLong(file)} ${expected}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  } finally {
    reader?.close();
  }
}

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

/** One may be written twice where a machine was lost. */
function firstInSweep(header: SweepHeader): (row: ResultRow) => boolean {
  const places = createPlaces(header);
  const isTaken = new Uint8Array(places.total);
  return (row) => {
    const place = places.placeOfRow(row);
    if (place === undefined || isTaken[place] === 1) return false;
    isTaken[place] = 1;
    return true;
  };
}

/** A line that is longer than what is read at once is put together when its end has come. */
function* linesOf(reader: Reader): Generator<Line, void, void> {
  let [number, offsetBytes] = [0, 0];
  let pieces: Buffer[] = [];
  for (const chunk of chunksOf(reader)) {
    pieces.push(chunk);
    if (!chunk.includes(LINE_BREAK)) continue;
    const data = Buffer.concat(pieces);
    let start = 0;
    for (let end = data.indexOf(LINE_BREAK); end >= 0; end = data.indexOf(LINE_BREAK, start)) {
      number += 1;
      const text = data.toString('utf8', start, end);
      const offset = offsetBytes + start;
      yield { number, text, offsetBytes: offset, lengthBytes: end - start, isOpen: false };
      start = end + 1;
    }
    pieces = [data.subarray(start)];
    offsetBytes += start;
  }
  const rest = Buffer.concat(pieces);
  const text = rest.toString('utf8');
  if (rest.length === 0) return;
  yield { number: number + 1, text, offsetBytes, lengthBytes: rest.length, isOpen: true };
}

function* chunksOf(reader: Reader): Generator<Buffer, void, void> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = reader.read(chunk);
    if (bytes === 0) return;
    yield chunk.subarray(0, bytes);
  }
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
