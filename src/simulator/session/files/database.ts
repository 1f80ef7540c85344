import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeOwnFolder } from '../../lib/process-end.ts';
import type { Closing, Database, DatabaseRow } from '../format.ts';

type Sqlite = typeof import('node-sqlite3-wasm');

const LOG = '-wal';
const NAME = /^\w+$/;

/** Opens a copy of an SQLite database with its log, to which an agent may be writing; the caller closes it. */
export function openDatabase(path: string): Database & Closing {
  const folder = makeOwnFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    if (existsSync(path + LOG)) copyFileSync(path + LOG, copy + LOG);
    return openCopy(copy, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

function openCopy(path: string, remove: () => void): Database & Closing {
  const { Database: Sqlite } = createRequire(import.meta.url)('node-sqlite3-wasm') as Sqlite;
  const database = new Sqlite(path);
  // A log is read through shared memory, which WebAssembly has not, or by the only user of a database.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  const tables = database.all("SELECT name FROM sqlite_master WHERE type = 'table'");
  return {
    tables: new Set(tables.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))),
    rows: (table, where) => {
      const { column, value } = where ?? {};
      const condition = column === undefined ? '' : ` WHERE ${checked(column)} = ?`;
      const sql = `SELECT * FROM ${checked(table)}${condition}`;
      return database.all(sql, value === undefined ? [] : [value]) as readonly DatabaseRow[];
    },
    close: () => {
      database.close();
      remove();
    },
  };
}

function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError(`Expected a name of a table or column, got ${JSON.stringify(name)}.`);
}
