import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { faultCode, isFault } from '../../lib/files.ts';
import { beforeEnd } from '../../lib/process-end.ts';
import type { Database, DatabaseRow } from '../format.ts';

/** An open database; the caller closes it. */
export interface OpenDatabase extends Database {
  close(): void;
}

/** The part of the package that is used. */
type Sqlite = typeof import('node-sqlite3-wasm');

/** Behind a file's name: what was written and not yet taken over into the database. */
const LOG = '-wal';
const NAME = /^\w+$/;
const MOST_ROUNDS = 20;
/** Begins the names of folders of copies; the id of their process follows. */
const FOLDER = 'compaction-bench-db-';

/**
 * Opens a copy of an SQLite database with its log, for an agent may be writing to it and only who may write can read a log.
 * Throws errors of the file system.
 */
export function openDatabase(path: string): OpenDatabase {
  if (isMainThread) guardCopies();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
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

/**
 * Has the copies of this process removed when it ends, those of its threads among them. It stays so: a signal that comes while
 * somebody reads is heard later.
 */
export function guardCopies(): void {
  if (!process.listeners('exit').includes(removeOwnCopies)) beforeEnd(removeOwnCopies);
}

/** Removes the copies of processes that were killed. */
export function removeLeftCopies(): void {
  removeCopies((id) => !isRunning(id));
}

function removeOwnCopies(): void {
  // Threads that still run may be making one meanwhile.
  for (let round = 0; round < MOST_ROUNDS && removeCopies(isOwn) > 0; round++);
}

function isOwn(id: number): boolean {
  return id === process.pid;
}

/** Removes copies, and gives how many there were. */
function removeCopies(isOf: (id: number) => boolean): number {
  const names = readdirSync(tmpdir()).filter(
    (name) => name.startsWith(FOLDER) && isOf(Number.parseInt(name.slice(FOLDER.length), 10)),
  );
  for (const name of names) {
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch (error) {
      // That of another user stays.
      if (!isFault(error)) throw error;
    }
  }
  return names.length;
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return faultCode(error) === 'EPERM';
  }
}

function openCopy(path: string, remove: () => void): OpenDatabase {
  const { Database: Sqlite } = load();
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

/** Loaded where it is needed: only few users have databases. */
function load(): Sqlite {
  return createRequire(import.meta.url)('node-sqlite3-wasm') as Sqlite;
}

function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new TypeError(`Expected a name of a table or column, got ${JSON.stringify(name)}.`);
}
