import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SQLiteValue } from 'node-sqlite3-wasm';
import type { HarnessError } from '../../lib/errors.ts';
import { makeOwnFolder } from '../../lib/process-end.ts';
import type { Closing, Database, DatabaseRow } from '../format.ts';
import { toDamage } from './archive.ts';

type Sqlite = typeof import('node-sqlite3-wasm');

interface Copied {
  readonly path: string;
  readonly folder: string;
  readonly copy: string;
}

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
  const most = Math.ceil(statSync(copy).size / LEAST_ROW_BYTES);
  const faults: HarnessError[] = [];
  /** Rows up to the first that cannot be read. */
  const read = (sql: string, values: SQLiteValue[] = []): readonly DatabaseRow[] => {
    const rows: DatabaseRow[] = [];
    try {
      const statement = database.prepare(sql);
      try {
        for (const row of statement.iterate(values)) rows.push(row as DatabaseRow);
      } finally {
        statement.finalize();
      }
    } catch (error) {
      faults.push(toDamage(error, { path, kind: 'SQLite database' }));
    }
    return rows;
  };
  const namesIn = (sql: string, values?: SQLiteValue[]) =>
    read(sql, values).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  database.exec(START);
  return {
    faults,
    tables: new Set(namesIn(TABLES)),
    rows: (table, where) => {
      const columns = namesIn(STORED, [table]);
      if (columns.length === 0 || (where && !columns.includes(where.column))) return [];
      const condition = where ? `WHERE ${quoted(where.column)} = ?` : '';
      const source = `FROM ${quoted(table)} ${condition} LIMIT ${most}`;
      return read(`SELECT ${columns.map(quoted).join()} ${source}`, where && [where.value]);
    },
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
