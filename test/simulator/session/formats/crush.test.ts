import { join } from 'node:path';
import { Database as Sqlite } from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import type { StoredRow } from '../../../support/opencode-database.ts';
import { packRows, unpackRows } from '../../../support/packed-rows.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Part = readonly [type: string, data: object];

const session = (id: string, parent: string | null = null): StoredRow => ({
  table: 'sessions',
  row: { id, parent_session_id: parent, title: 'Kettle', created_at: 1_764_000_000 },
});

let count = 0;
const message = (role: string, parts: readonly Part[], more: object = {}): StoredRow => ({
  table: 'messages',
  row: {
    id: `m${++count}`,
    session_id: 's1',
    role,
    model: role === 'assistant' ? 'kettle-1' : '',
    provider: 'openai',
    is_summary_message: 0,
    created_at: 1_764_000_000,
    parts: JSON.stringify(parts.map(([type, data]) => ({ type, data }))),
    ...more,
  },
});

const text = (said: string): Part => ['text', { text: said }];
const finish = (reason: string): Part => ['finish', { reason, time: 1_764_000_001 }];
const input = JSON.stringify({ command: 'cat kettle.txt' });
/** Longer than the other columns of a row, so that half a row is half a text. */
const LAST = `It is off. ${'Nobody looked at the lamp. '.repeat(8)}`;

const rows: readonly StoredRow[] = [
  session('s1'),
  { table: 'files', row: { id: 'f1', session_id: 's1' } },
  message('user', [text('Is the kettle on?'), finish('stop')]),
  message('assistant', [
    ['reasoning', { thinking: 'It may be cold.' }],
    text('I will look.'),
    ['tool_call', { id: 'c1', name: 'bash', input, finished: true }],
    finish('tool_use'),
  ]),
  message('tool', [
    ['tool_result', { tool_call_id: 'c1', name: 'bash', content: 'the water is cold' }],
  ]),
  message('assistant', [text('A summary of the kettle.')], { is_summary_message: 1 }),
  message('user', [text('And now?')]),
  message('assistant', [text(LAST), finish('max_tokens')]),
];

describeSessionFormat({
  name: 'crush',
  text: packRows(rows, 'parts'),
  unpack: (packed) => unpackRows(packed, 'parts'),
});

const SCHEMA = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, prompt_tokens INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts BLOB NOT NULL DEFAULT '[]', model TEXT, provider TEXT, is_summary_message INTEGER, created_at INTEGER NOT NULL);
CREATE INDEX idx_messages_session_id ON messages (session_id);
`;

function writeCrush(path: string, stored: readonly StoredRow[]): string {
  const database = new Sqlite(path);
  database.exec(SCHEMA);
  for (const { table, row } of stored) {
    const columns = Object.keys(row);
    const values = Object.values(row).map((value) => value ?? null);
    const places = columns.map(() => '?').join(', ');
    database.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, values);
  }
  database.close();
  return path;
}

const load = (path: string) =>
  [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new Error(loaded.reason);
  });

describe('a database of Crush', () => {
  it('has the messages of a second in their order, and compactions', () => {
    const path = writeCrush(join(createFolder(), 'crush.db'), rows);
    const [first, ...others] = load(path);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ format: 'crush', sessionId: 's1', model: 'openai/kettle-1' });
    expect(outline(first!)).toEqual([
      'user: Is the kettle on?',
      expect.stringContaining('I will look.'),
      'user: And now?',
      `assistant: ${LAST}`,
    ]);
    expect(toolsOf(first!)).toMatchObject([
      {
        tool: 'bash',
        state: { input: { command: 'cat kettle.txt' }, output: 'the water is cold' },
      },
    ]);
    expect(first!.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, summary: 'A summary of the kettle.' },
    ]);
    expect(first!.messages.at(-1)).toMatchObject({ finish: 'length' });
  });

  it('gives sessions of people before those of agents', () => {
    const side = message('user', [text('Boil.')], { session_id: 's0' });
    const path = writeCrush(join(createFolder(), 'crush.db'), [session('s0', 's1'), side, ...rows]);
    expect(load(path).map(({ sessionId, isSide }) => [sessionId, isSide])).toEqual([
      ['s1', false],
      ['s0', true],
    ]);
  });

  it('is found in the folder of a project', () => {
    const folder = createFolder();
    const path = writeFile(folder, '.crush/crush.db', '');
    writeFile(folder, '.git/x.json', '');
    expect(discoverSessionFiles([folder]).files).toEqual([path]);
  });
});
