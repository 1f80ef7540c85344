import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { DatabaseRow } from '../../src/simulator/session/format.ts';

// Its names are found by a bundler only.
const { Database: Sqlite } = createRequire(import.meta.url)(
  'node-sqlite3-wasm',
) as typeof import('node-sqlite3-wasm');

/** A row by its table and the columns that are read. */
export interface StoredRow {
  readonly table: string;
  readonly row: DatabaseRow;
}

/** The columns of OpenCode's tables that matter here, with the types and indices that it gives them. */
const SCHEMA = `
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text, title text, version text, revert text, time_created integer NOT NULL, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer, data text NOT NULL);
CREATE INDEX message_session_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
`;

const MINUTE_MS = 60_000;

/** Writes a database as OpenCode and Kilo do. */
export function writeOpencodeDatabase(path: string, rows: readonly StoredRow[]): string {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Sqlite(path);
  // One transaction, for each is written to the disk.
  database.exec(`BEGIN; ${SCHEMA}`);
  for (const { table, row } of rows) {
    const columns = Object.keys(row);
    const places = columns.map(() => '?').join(', ');
    const values = Object.values(row).map((value) => value ?? null);
    database.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, values);
  }
  database.exec('COMMIT');
  database.close();
  return path;
}

/** So much is added by each step of a session. */
const GROWTH_TOKENS = 12_000;
const STEPS = 13;

/** A session of OpenCode 1.18 that reads a file in each step, and ends before the size at which it compacts. */
export function growingRows({
  id,
  startMs,
  steps = STEPS,
  model: common = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' },
}: {
  readonly id: string;
  readonly startMs: number;
  readonly steps?: number;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}): readonly StoredRow[] {
  const directory = `/work/${id}`;
  const session = {
    id: `ses_${id}`,
    directory,
    title: `Work on ${id}`,
    version: '1.18.3',
    time_created: startMs,
  };
  const user = { role: 'user', time: { created: startMs }, model: common };
  return [
    { table: 'session', row: session },
    ...messageRows({ id, index: 0, startMs }, user, [{ type: 'text', text: `Work on ${id}.` }]),
    ...Array.from({ length: steps }, (_, step) => {
      const index = step + 1;
      const created = startMs + index * MINUTE_MS;
      const cache = { read: step * GROWTH_TOKENS, write: GROWTH_TOKENS };
      const tokens = { input: 0, output: 50, reasoning: 0, cache };
      const last = step === steps - 1;
      const info = {
        role: 'assistant',
        ...common,
        path: { cwd: directory, root: directory },
        tokens,
        cost: 0,
        time: { created, completed: created + 1 },
        finish: last ? 'stop' : 'tool-calls',
      };
      return messageRows({ id, index, startMs }, info, [readPart(id, step)]);
    }).flat(),
  ];
}

function messageRows(
  { id, index, startMs }: { readonly id: string; readonly index: number; readonly startMs: number },
  info: object,
  parts: readonly object[],
): readonly StoredRow[] {
  const session_id = `ses_${id}`;
  const message_id = `msg_${id}_${String(index).padStart(3, '0')}`;
  const time_created = startMs + index * MINUTE_MS;
  return [
    {
      table: 'message',
      row: { id: message_id, session_id, time_created, data: JSON.stringify(info) },
    },
    ...parts.map((part, place) => ({
      table: 'part',
      row: {
        id: `prt_${id}_${index}_${place}`,
        message_id,
        session_id,
        time_created,
        data: JSON.stringify(part),
      },
    })),
  ];
}

function readPart(id: string, step: number): object {
  const filePath = `/work/${id}/file-${step % 4}.ts`;
  const output = `${id} ${step} ${'line of code '.repeat(60)}`;
  return {
    type: 'tool',
    tool: 'read',
    callID: `call_${id}_${step}`,
    state: {
      status: 'completed',
      input: { filePath },
      output,
      title: filePath,
      metadata: {},
      time: { start: 1, end: 2 },
    },
  };
}
