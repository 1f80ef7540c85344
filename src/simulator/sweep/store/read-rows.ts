import { join } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { RESULTS_FILE } from '../../lib/files.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { isInShard, nameShard, type SweepHeader } from './header.ts';
import { readAllLines, readLines } from './lines.ts';
import { checkRow, type ResultRow } from './row.ts';

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
