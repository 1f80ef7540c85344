import { isObject } from '../../is-object.ts';
import { parseJson } from '../../parse-json.ts';
import type { ResultRow } from '../result-row.ts';
import type { Shard, SweepHeader } from './header.ts';
import { isInShard, nameShard } from './shard.ts';

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

/** A sweep, or a shard of one, that is finished. */
export interface Whole {
  /** Its rows. */
  readonly total: number;
  /** Like `1/4`; `1/1` in one piece. */
  readonly shard: string;
}

type PlacedBy = Pick<SweepHeader, 'sessions' | 'cells' | 'seeds' | 'shard'>;

/** What the number of rows follows from. */
interface CountedBy {
  readonly sessions: readonly { readonly hash: string }[];
  readonly cells: readonly unknown[];
  readonly seeds: readonly number[];
  readonly shard: Shard;
}

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
export function countOwnRows({ sessions, cells, seeds, shard }: CountedBy): number {
  const own = sessions.filter(({ hash }) => isInShard(hash, shard));
  return own.length * cells.length * seeds.length;
}

/** What the rows of a folder are to become. */
export function wholeOf(header: CountedBy): Whole {
  return { total: countOwnRows(header), shard: nameShard(header.shard) };
}

/** A row of a line; absent where the line is broken or something else. */
export function parseRow(line: string): ResultRow | undefined {
  const value = parseJson(line);
  return isObject(value) && 'cell' in value && 'metrics' in value
    ? (value as unknown as ResultRow)
    : undefined;
}
