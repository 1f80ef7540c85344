import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { growingRollout, growingTranscript } from '../../test/support/growing-sessions.ts';
import { growingRows, writeOpencodeDatabase } from '../../test/support/opencode-database.ts';
import { zipOf } from '../../test/support/zip.ts';

type File = readonly [name: string, content: Buffer];

/** A whole recording, a home, or results: its file, and others beside it. */
export interface Seed {
  readonly name: string;
  readonly files: readonly File[];
  readonly kind: 'binary' | 'text' | 'home' | 'result';
  /** Those that read it; by default those that read recordings. */
  readonly commands?: readonly string[];
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

const IN_HOME = ['answer', 'sessions stats', 'run', 'tune --vary protect=1k,2k --hold-out 0'];
const REPORTS = ['report X', 'report X --format html --out OUT.html', 'compare X X'];
/** Commands by the name of what they read among what a command wrote. */
const RESULTS: Readonly<Record<string, readonly string[]>> = {
  'run.json': REPORTS,
  'events.jsonl': [...REPORTS, 'report X --format markdown', 'compare X X --format json'],
  sweep: [
    ...REPORTS,
    'sweep export X --out OUT.csv',
    'sweep export X --out OUT.jsonl',
    'sweep export X --out OUT.parquet',
    'sweep merge X --out OUT',
  ],
  'scenario.yaml': ['check X', 'run X', 'check X --baseline OUT --bless --reason new'],
  'opencode.json': ['doctor --policy opencode-1.18 --config X', 'run --demo --config X'],
};

/** A recording of each format and store that is read, made from the fixtures of the tests; homes; and results of a folder. */
export function createSeeds(results: string): readonly Seed[] {
  const texts = readdirSync(join(FIXTURES, 'formats')).filter((name) => name.endsWith('.json'));
  const examples = texts.flatMap((file) => {
    const all = JSON.parse(readFileSync(join(FIXTURES, 'formats', file), 'utf8')) as Example[];
    return all.map((example, index): Seed => {
      const beside = Object.entries(example.beside ?? {});
      const files = [['x.jsonl', textOf(example)] as const, ...beside];
      const bytes = files.map(([path, text]) => [path, Buffer.from(text)] as const);
      return { name: `${file}#${index}`, kind: 'text', files: bytes };
    });
  });
  const folders = ['sessions', 'recordings'].flatMap((folder) =>
    readdirSync(join(FIXTURES, folder)).map((name) => one(name, readIn(folder, name), 'text')),
  );
  const written = Object.entries(RESULTS).map(([name, commands]): Seed => {
    const path = join(results, name);
    const files = statSync(path).isFile() ? [[name, readFileSync(path)] as const] : filesIn(path);
    return { name, files, kind: 'result', commands };
  });
  const packed = binarySeeds();
  const home = homeOf(packed[0]?.files[0]?.[1] ?? Buffer.alloc(0));
  return [...examples, ...folders, ...packed, home, ...written];
}

/** Where agents keep their sessions, as on a machine with one of each. */
function homeOf(database: Buffer): Seed {
  const session = { startMs: Date.UTC(2026, 0, 5), steps: 4, growthTokens: 900 };
  const claude = { ...session, name: 'a', model: 'claude-sonnet-4-5', version: '2.1.40' };
  const codex = { ...session, name: 'b', model: 'gpt-5.2-codex', version: '0.104.0' };
  const files = {
    '.claude/projects/-work-app/a.jsonl': growingTranscript(claude),
    '.codex/sessions/2026/01/rollout-b.jsonl': growingRollout({ ...codex, windowTokens: 272_000 }),
    '.config/opencode/opencode.json': '{"compaction":{"reserved":9000}}',
    '.local/share/opencode/opencode.db': database,
  };
  const bytes = Object.entries(files).map(([name, text]) => [name, Buffer.from(text)] as const);
  return { name: 'home', kind: 'home', files: bytes, commands: IN_HOME };
}

function filesIn(folder: string): readonly File[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name))] as const);
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

function one(name: string, content: Buffer, kind: Seed['kind'] = 'binary'): Seed {
  return { name, files: [[name, content]], kind };
}

function binarySeeds(): readonly Seed[] {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-fuzz-'));
  const rows = ['a', 'b'].flatMap((id, index) => growingRows({ id, startMs: index + 1, steps: 3 }));
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
    one('opencode.db', readFileSync(writeOpencodeDatabase(join(folder, 'o.db'), rows))),
    one('crush.db', readFileSync(join(folder, 'crush.db'))),
    one('log.eval', zipOf([header, ...samples])),
    one('torn.parquet', readFileSync(join(FIXTURES, 'torn.parquet'))),
    one('text.gz', gzipSync(chat)),
    ...(['UNCOMPRESSED', 'SNAPPY'] as const).flatMap((codec) =>
      [false, true].map((isNested) =>
        one(`${codec}-${isNested}.parquet`, tableOf(chat, codec, isNested)),
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
