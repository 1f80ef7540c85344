import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { growingRows, writeOpencodeDatabase } from '../../test/support/opencode-database.ts';
import { zipOf } from '../../test/support/zip.ts';

/** A whole recording: its file, and others beside it. */
export interface Seed {
  readonly name: string;
  readonly files: readonly (readonly [name: string, content: Buffer])[];
  readonly isBinary: boolean;
}

const FIXTURES = join(import.meta.dirname, '../../test/fixtures');
const CRUSH = `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, created_at INTEGER);
CREATE TABLE files (id TEXT PRIMARY KEY);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts BLOB, model TEXT, created_at INTEGER);
INSERT INTO sessions VALUES ('s1', NULL, 1), ('s2', 's1', 2);
INSERT INTO messages VALUES ('m1', 's1', 'user', '[{"type":"text","data":{"text":"Is it on?"}}]', '', 1),
('m2', 's1', 'assistant', '[{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{}"}}]', 'k', 2),
('m3', 's1', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"c1","content":"no"}}]', '', 3),
('m4', 's2', 'user', '[{"type":"text","data":{"text":"Look."}}]', '', 4);`;

/** A recording of each format and store that is read, made from the fixtures of the tests. */
export function createSeeds(): readonly Seed[] {
  const texts = readdirSync(join(FIXTURES, 'formats')).filter((name) => name.endsWith('.json'));
  const examples = texts.flatMap((file) => {
    const all = JSON.parse(readFileSync(join(FIXTURES, 'formats', file), 'utf8')) as Example[];
    return all.map((example, index): Seed => {
      const beside = Object.entries(example.beside ?? {});
      const files = [['x.jsonl', textOf(example)] as const, ...beside];
      const name = `${file}#${index}`;
      return {
        name,
        isBinary: false,
        files: files.map(([path, text]) => [path, Buffer.from(text)] as const),
      };
    });
  });
  const folders = ['sessions', 'recordings'].flatMap((folder) =>
    readdirSync(join(FIXTURES, folder)).map((name) => one(name, readIn(folder, name), false)),
  );
  return [...examples, ...folders, ...binarySeeds()];
}

interface Example {
  readonly document?: unknown;
  readonly lines?: readonly unknown[];
  readonly text?: string;
  readonly file?: string;
  readonly beside?: Readonly<Record<string, string>>;
}

function textOf({ document, lines, text, file }: Example): string {
  if (file !== undefined) return readIn('recordings', file).toString();
  if (text !== undefined) return text;
  return (lines ?? [document]).map((line) => JSON.stringify(line)).join('\n');
}

function readIn(folder: string, name: string): Buffer {
  return readFileSync(join(FIXTURES, folder, name));
}

function one(name: string, content: Buffer, isBinary: boolean): Seed {
  return { name, files: [[name, content]], isBinary };
}

function binarySeeds(): readonly Seed[] {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-fuzz-'));
  const rows = ['a', 'b', 'c'].flatMap((id, index) => growingRows({ id, startMs: index + 1 }));
  const { Database } = createRequire(import.meta.url)(
    'node-sqlite3-wasm',
  ) as typeof import('node-sqlite3-wasm');
  const crush = new Database(join(folder, 'crush.db'));
  crush.exec(CRUSH);
  crush.close();
  const log = JSON.parse(readIn('recordings', 'inspect-ai.json').toString()) as {
    samples: object[];
  };
  const samples = [...log.samples, ...log.samples].map(
    (sample, index) => [`samples/${index}_epoch_1.json`, JSON.stringify(sample)] as const,
  );
  const header = ['header.json', JSON.stringify({ ...log, samples: undefined })] as const;
  const chat = readIn('sessions', 'openai-chat.json').toString();
  return [
    one('opencode.db', readFileSync(writeOpencodeDatabase(join(folder, 'o.db'), rows)), true),
    one('crush.db', readFileSync(join(folder, 'crush.db')), true),
    one('log.eval', zipOf([header, ...samples]), true),
    one('torn.parquet', readFileSync(join(FIXTURES, 'torn.parquet')), true),
    one('text.gz', gzipSync(chat), true),
    ...(['UNCOMPRESSED', 'SNAPPY'] as const).flatMap((codec) =>
      [false, true].map((isNested) =>
        one(`${codec}-${isNested}.parquet`, tableOf(chat, codec, isNested), true),
      ),
    ),
  ];
}

/** A table of a chat as JSON, or as nested records. */
function tableOf(chat: string, codec: 'UNCOMPRESSED' | 'SNAPPY', isNested: boolean): Buffer {
  const messages = JSON.parse(chat) as { role: string; content: unknown }[];
  const plain = messages.map(({ role, content }) => ({ role, content: String(content) }));
  const optional = { repetition_type: 'OPTIONAL' } as const;
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional } as const;
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'messages', num_children: 1, converted_type: 'LIST' as const, ...optional },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' as const },
    { name: 'element', num_children: 2, ...optional },
    { name: 'role', ...text },
    { name: 'content', ...text },
  ];
  const data = Array.from({ length: 5 }, () => (isNested ? plain : chat));
  const columnData = [{ name: 'messages', data, ...(!isNested && { type: 'STRING' as const }) }];
  const options = { columnData, codec, rowGroupSize: 2, ...(isNested && { schema }) };
  return Buffer.from(parquetWriteBuffer(options));
}
