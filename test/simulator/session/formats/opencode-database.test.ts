import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database as Sqlite } from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { packRows, unpackRows } from '../../../support/packed-rows.ts';
import {
  growingRows,
  type StoredRow,
  writeOpencodeDatabase,
} from '../../../support/opencode-database.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { type Exported, exportedFixture, type Fields } from './opencode-forms.ts';

const exported = exportedFixture();
const idOf = (fields: Fields) => String(fields['id']);
const createdAt = (fields: Fields) =>
  (fields['time'] as { readonly created?: number } | undefined)?.created ?? 0;

/** The columns that hold an id, and all else as JSON. */
function dataOf(fields: Fields): string {
  return JSON.stringify({ ...fields, id: undefined, sessionID: undefined, messageID: undefined });
}

function rowsOf({ info, messages }: Exported): readonly StoredRow[] {
  const session_id = idOf(info);
  return [
    {
      table: 'session',
      row: {
        id: session_id,
        time_created: createdAt(info),
        version: String(info['version']),
        directory: String(info['directory']),
      },
    },
    ...messages.map((message) => ({
      table: 'message',
      row: {
        id: idOf(message.info),
        session_id,
        time_created: createdAt(message.info),
        data: dataOf(message.info),
      },
    })),
    ...messages.flatMap((message) =>
      message.parts.map((part, index) => ({
        table: 'part',
        row: {
          id: idOf(part),
          message_id: idOf(message.info),
          session_id,
          time_created: createdAt(message.info) + index,
          data: dataOf(part),
        },
      })),
    ),
  ];
}

describeSessionFormat({
  name: 'opencode-database',
  text: packRows(rowsOf(exported), 'data'),
  unpack: (packed) => unpackRows(packed, 'data'),
});

const writeDatabase = (name: string, rows: readonly StoredRow[]) =>
  writeOpencodeDatabase(join(createFolder(), name), rows);

const load = (path: string) =>
  [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new Error(loaded.reason);
  });

const DAMAGED = /to be a whole SQLite database, got one that is damaged: .*malformed\.$/;
/** A thousand parts of the last session. */
const MORE_ROWS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
  INSERT INTO part (id, message_id, session_id, time_created, data)
  SELECT 'p' || i, 'msg_c_001', 'ses_c', 1, '{}' FROM n`;

describe('a database of OpenCode', () => {
  it('gives the session that an export of it gives, and leaves nothing behind', () => {
    const copies = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('compaction-bench-db-'));
    const before = copies();
    const path = writeDatabase('opencode.db', rowsOf(exported));
    const [whole] = readSessions('x', JSON.stringify(exported));
    expect(load(path)).toEqual([{ ...whole, name: path, format: 'opencode-database' }]);
    expect(copies()).toEqual(before);
    expect(statSync(path).size).toBeGreaterThan(0);
  });

  it('gives sessions of people before those of tasks, and passes by those without messages', () => {
    const task = rowsOf({ ...exported, info: { ...exported.info, id: 'ses_task' } });
    const renamed = task.map(({ table, row }) => ({
      table,
      row: {
        ...row,
        ...(table === 'session' ? { parent_id: idOf(exported.info), time_created: 1 } : {}),
        ...(table === 'session' ? {} : { id: `task-${String(row['id'])}` }),
        ...('message_id' in row ? { message_id: `task-${String(row['message_id'])}` } : {}),
      },
    }));
    const empty = { table: 'session', row: { id: 'ses_empty', time_created: 2 } };
    const path = writeDatabase('kilo.db', [...renamed, empty, ...rowsOf(exported)]);
    expect(load(path).map(({ name, isSide }) => [name, isSide])).toEqual([
      [`${path}#0`, false],
      [`${path}#1`, true],
    ]);
  });

  it('is found in its folder by its name, other databases are not', () => {
    const path = writeDatabase('opencode-dev.db', rowsOf(exported));
    const folder = join(path, '..');
    writeFile(folder, 'cookies.db', 'x');
    expect(discoverSessionFiles([folder]).files).toEqual([path]);
  });

  const many = ['a', 'b', 'c'].flatMap((id, index) => growingRows({ id, startMs: index + 1 }));
  const changed = (change: (bytes: Buffer) => Buffer) => {
    const path = writeDatabase('opencode.db', many);
    writeFileSync(path, change(readFileSync(path)));
    return path;
  };
  const altered = (sql: string) => {
    const path = writeDatabase('opencode.db', many);
    const database = new Sqlite(path);
    database.exec(sql);
    database.close();
    return path;
  };

  it.each<[string, () => string, number, RegExp]>([
    ['is cut off', () => changed((bytes) => bytes.subarray(0, -20_000)), 3, DAMAGED],
    ['has a torn page', () => changed((bytes) => bytes.fill(7, bytes.length - 8192)), 3, DAMAGED],
    ['has a torn start', () => changed((bytes) => bytes.fill(7, 20, 99)), 0, /damaged: file is no/],
    [
      'has a row that fills the memory',
      () => altered("UPDATE part SET data = zeroblob(3e8) WHERE id = 'prt_c_1_0'"),
      2,
      /of at most 256 MB, .*, got 286 MB from/,
    ],
    [
      'has many rows of one long default',
      () => altered(`${MORE_ROWS}; ALTER TABLE part ADD COLUMN x DEFAULT '${'x'.repeat(50_000)}'`),
      2,
      /above 16 MB of 200 times .*, got \d+ MB from \d+ kB/,
    ],
  ])('that %s gives what can be read of it, and a reason', (_, make, sessions, reason) => {
    const path = make();
    const loaded = [...loadSessions([path])];
    expect(loaded.slice(0, -1).map(({ state }) => state)).toEqual(Array(sessions).fill('read'));
    const unread = { state: 'unread', file: path, reason: expect.stringMatching(reason) };
    expect(loaded.at(-1)).toEqual(unread);
  });

  it('is read without what it would work out: generated columns, views and triggers', () => {
    const path = altered(`
      ALTER TABLE part ADD COLUMN huge AS (zeroblob(1000000000));
      CREATE VIEW sessions AS SELECT zeroblob(1000000000);
      CREATE TRIGGER more AFTER INSERT ON part BEGIN SELECT zeroblob(1000000000); END`);
    expect(load(path)).toEqual(
      load(writeDatabase('opencode.db', many)).map((session, index) => ({
        ...session,
        name: `${path}#${index}`,
      })),
    );
  });

  it('is told from a database of something else', () => {
    const path = join(createFolder(), 'other.db');
    const database = new Sqlite(path);
    database.exec('CREATE TABLE cookies (id text)');
    database.close();
    const [loaded] = loadSessions([path]);
    expect(loaded).toMatchObject({
      state: 'unread',
      reason: expect.stringContaining('got a database with tables "cookies"'),
    });
  });
});
