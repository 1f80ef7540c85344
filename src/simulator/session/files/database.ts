import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database as OpenDatabase, SQLiteValue } from 'node-sqlite3-wasm';
import { addToGroup, keepIn } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { makeOwnFolder } from '../../lib/process-end.ts';
import type { Closing, Database, DatabaseRow } from '../format.ts';
import { checkUnpacked, toDamage } from './archive.ts';

type Sqlite = typeof import('node-sqlite3-wasm');

interface Copied {
  readonly path: string;
  readonly folder: string;
  readonly copy: string;
}

/** Reads rows of one table under a condition. */
type ReadRows = (condition: string, values: SQLiteValue[]) => readonly DatabaseRow[];

const LOG = '-wal';
const START = [
  // A log is read through shared memory, which WebAssembly has not, or by the only user of a database.
  'PRAGMA locking_mode = EXCLUSIVE',
  // Its other meaning is that a file is read that was cut off.
  'PRAGMA writable_schema = ON',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA cell_size_check = ON',
].join(';');
/** A damaged table may lead in circles; no whole one has more rows. */
const LEAST_ROW_BYTES = 4;
/** Views and virtual tables have no page of their own. */
const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0";
/** Generated columns are left out: reading works them out, to any size. */
const STORED = 'SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0';

/** Opens a copy of an SQLite database with its log, to which an agent may be writing; the caller closes it. */
export function openDatabase(path: string): Database & Closing {
  const folder = makeOwnFolder();
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    if (existsSync(path + LOG)) copyFileSync(path + LOG, copy + LOG);
    return openCopy({ path, folder, copy });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function openCopy({ path, folder, copy }: Copied): Database & Closing {
  const { Database: Sqlite } = createRequire(import.meta.url)('node-sqlite3-wasm') as Sqlite;
  const database = new Sqlite(copy);
  const { size } = statSync(copy);
  const most = Math.ceil(size / LEAST_ROW_BYTES);
  const faults: HarnessError[] = [];
  const unlessDamaged = <Row>(read: () => readonly Row[], otherwise = (): readonly Row[] => []) => {
    try {
      return read();
    } catch (error) {
      if (error instanceof HarnessError) throw error;
      faults.push(toDamage(error, { path, kind: 'SQLite database' }));
      return otherwise();
    }
  };
  const reader = (table: string, columns: readonly string[]): ReadRows => {
    const lengths = columns.map((name) => `ifnull(octet_length(${quoted(name)}), 0)`).join('+');
    return (condition, values) => {
      const source = `${quoted(table)} ${condition} LIMIT ${most}`;
      const sizes = `SELECT sum(bytes) bytes FROM (SELECT ${lengths} bytes FROM ${source})`;
      checkUnpacked(Number(database.get(sizes, values)?.['bytes'] ?? 0), size, path);
      const rows = database.all(`SELECT ${columns.map(quoted).join()} FROM ${source}`, values);
      return rows as readonly DatabaseRow[];
    };
  };
  const keys = new Map<string, ReadonlyMap<unknown, readonly number[]>>();
  const names = unlessDamaged(() => {
    database.exec(START);
    return textsIn(database, TABLES);
  });
  return {
    faults,
    tables: new Set(names),
    rows: (table, where) => {
      const columns = unlessDamaged(() => textsIn(database, STORED, [table]));
      if (columns.length === 0 || (where && !columns.includes(where.column))) return [];
      const read = reader(table, columns);
      const column = where && quoted(where.column);
      return unlessDamaged(
        () => (where ? read(`WHERE ${column} = ?`, [where.value]) : read('', [])),
        () => {
          const sql = `SELECT rowid key, ${column ?? 'NULL'} value FROM ${quoted(table)} NOT INDEXED`;
          const found = keepIn(keys, sql, () => findRows(database, sql, most));
          return (found.get(where?.value) ?? []).flatMap((key) =>
            orNone(() => read('WHERE rowid = ?', [key])),
          );
        },
      );
    },
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The keys of a damaged table by a value, from both ends to where it is torn, without its indices. */
function findRows(database: OpenDatabase, sql: string, most: number) {
  const rows = new Map<number, unknown>();
  for (const order of ['ASC', 'DESC']) {
    orNone(() => {
      const statement = database.prepare(`${sql} ORDER BY rowid ${order} LIMIT ${most}`);
      try {
        for (const { key, value } of statement.iterate()) rows.set(Number(key), value ?? undefined);
      } finally {
        statement.finalize();
      }
      return [];
    });
  }
  const groups = new Map<unknown, number[]>();
  for (const key of [...rows.keys()].toSorted((a, b) => a - b))
    addToGroup(groups, rows.get(key), key);
  return groups;
}

function orNone<Row>(read: () => readonly Row[]): readonly Row[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    return [];
  }
}

function textsIn(database: OpenDatabase, sql: string, values: SQLiteValue[] = []) {
  return database.all(sql, values).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
