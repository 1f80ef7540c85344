import { isObject } from '../../is-object.ts';
import { parseJson } from '../../parse-json.ts';
import type { ResultRow } from '../result-row.ts';
import type { SweepHeader } from './header.ts';
import { isInShard } from './shard.ts';

/** Where each row of a sweep belongs. */
export interface Places {
  readonly total: number;
  /** Of a row's place, which session it is about. */
  sessionOf(place: number): number;
  /** Absent where it is no row of this sweep. */
  placeOfRow(row: RowKey): number | undefined;
}

/** What a row's place follows from. */
export type RowKey = Pick<ResultRow, 'session' | 'sessionHash' | 'cell' | 'seed'>;

type PlacedBy = Pick<SweepHeader, 'sessions' | 'cells' | 'seeds' | 'shard'>;

/**
 * The places of a sweep: sessions by name, then cells and seeds in the order of the grid. A row of another shard has
 * none.
 */
export function createPlaces({ sessions, cells, seeds, shard }: PlacedBy): Places {
  const sessionIndices = new Map(sessions.map(({ name }, index) => [name, index]));
  const cellIndices = new Map(cells.map(({ id }, index) => [id, index]));
  const seedIndices = new Map(seeds.map((seed, index) => [seed, index]));
  const perSession = cells.length * seeds.length;
  const placeOfRow = ({ session, sessionHash, cell, seed }: RowKey): number | undefined => {
    const sessionIndex = sessionIndices.get(session);
    const [cellIndex, seedIndex] = [cellIndices.get(cell), seedIndices.get(seed)];
    if (sessionIndex === undefined || cellIndex === undefined || seedIndex === undefined) {
      return undefined;
    }
    if (sessions[sessionIndex]?.hash !== sessionHash) return undefined;
    if (!isInShard(sessionHash, shard)) return undefined;
    return sessionIndex * perSession + cellIndex * seeds.length + seedIndex;
  };
  return {
    total: sessions.length * perSession,
    sessionOf: (place) => Math.floor(place / perSession),
    placeOfRow,
  };
}

/** Rows that a shard has when it is whole. */
export function countOwnRows({ sessions, cells, seeds, shard }: PlacedBy): number {
  const own = sessions.filter(({ hash }) => isInShard(hash, shard));
  return own.length * cells.length * seeds.length;
}

/** A row of a line; absent where the line is broken or something else. */
export function parseRow(line: string): ResultRow | undefined {
  const value = parseJson(line);
  return isObject(value) && 'cell' in value && 'metrics' in value
    ? (value as unknown as ResultRow)
    : undefined;
}
