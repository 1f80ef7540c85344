import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';

/** A fault of `inject.js`, or of the harness itself. */
interface Fault {
  readonly port: 'files' | 'threads' | 'database' | 'fetch' | 'output' | 'watch' | 'none';
  readonly [field: string]: unknown;
}

/** A command line with a fault, in a folder of its own. */
export interface Trial {
  readonly argv: readonly string[];
  readonly fault: Fault;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** What a server is sent. */
  readonly requests: readonly string[];
  readonly folder: string;
  remove(): void;
}

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the fault came about; unknown of another process. */
  readonly isMet?: boolean;
  readonly calls?: unknown;
}

type Calls = Readonly<Record<string, number>>;

type Draw = (bound: number) => number;

const ROOT = join(import.meta.dirname, '../..');
const WITHIN = [
  tmpdir(),
  ...['catalog', 'workloads', 'scenarios', 'package.json'].map((name) => join(ROOT, name)),
];
const calls = new Map<string, Calls>();
const EXPECTED_CODES: readonly unknown[] = [0, 1, 2, 3, 130];
/** Calls without which nothing can be removed. */
const REMOVING: readonly unknown[] = ['rmSync', 'lstatSync'];
const STACK = /\n {4}at |^uncaught|FATAL ERROR/;
const CODES = ['EIO', 'ENOSPC', 'EMFILE', 'EACCES', 'EROFS', 'ENOMEM', 'EBUSY', 'EPIPE', 'part'];
const IN_PARTS = ['readSync', 'readFileSync', 'writeSync', 'writeFileSync', 'appendFileSync'];
const THROWN = ['error', 'range', 'text', 'nothing'];
const BREAKS = [...THROWN, 'exit', 'rejects', 'memory', 'unborn'];
const QUERIES = ['all', 'exec', 'close'];
const ANSWERS = ['rejects', 'throws', 'garbage', 'wrong', 'fails', 'refuses', 'hangs', 'breaks'];
const SESSIONS = ['pi.jsonl', 'claude-code.jsonl', 'canonical.jsonl', 'opencode-export.json'];
const SCENARIO = `why: A session that grows.
session: { script: [{ user: 50 }, { repeat: 8, of: [{ step: { text: 40, tools: [read 2k] } }] }] }
model: { id: local/small, contextTokens: 20k }
policy: opencode-1.2.16
expect: { state: completed }
`;
const SCRIPT = `shows: faults
contextTokens: 60000
outputTokens: 4000
turns: [{ prompt: Go on., answers: [{ usage: { inputTokens: 9 }, outputChars: 70 }] }]
summaries: []
`;
const ADAPTERS = [
  'process.exit(3)',
  'process.kill(process.pid, "SIGKILL")',
  'console.log("garbage")',
  'console.log("{}\\n{}")',
  'console.log(JSON.stringify({messages:[{role:"x",content:3}]}))',
  'process.stdout.end();setTimeout(()=>0,9e3)',
  'process.stdin.once("data",()=>{Promise.reject(new Error("x"))})',
  'process.stdin.once("data",()=>{throw null})',
  'process.stdin.destroy();setTimeout(()=>0,9e3)',
].map((code) => `node -e '${code}' 2>&-`);
const FILES = [
  'run S --config IN/opencode.json --format html --out OUT/run.html',
  'explain S/pi.jsonl',
  'doctor --policy opencode-1.18 --config IN/opencode.json',
  'sweep merge IN/sweep --out OUT/merged',
  'sweep export IN/sweep --out OUT/rows.parquet',
  'sweep export IN/sweep --out OUT/rows.csv',
  'sweep export IN/sweep --out OUT/rows.jsonl',
  'compare IN/run.json IN/run.json',
  'summarizers S/pi.jsonl --summarizers lead,tail --rows OUT/summaries.jsonl',
  'check IN/scenario.yaml --format json --out OUT/check.json',
  'check IN/scenario.yaml --baseline OUT/baseline --bless --reason new',
  'sessions import S --out OUT/imported',
  'sessions stats S --format json --out OUT/stats.json',
  'sessions validate S',
  'sessions recap S',
  'sessions generate codex --sessions 1 --out OUT/generated',
  'report IN/run.json --format markdown --out OUT/report.md',
  'report IN/events.jsonl --format html --out OUT/report.html',
  'list policies',
];
/** Take longer, and so come less often. */
const LONG = [
  'answer S --jobs 1 --format json --out OUT/answer.json',
  'run S --policy none,opencode-1.2.16 --format json --out OUT/run.json --events OUT/events.jsonl',
  'run IN/scenario.yaml --chart',
  'whatif S/pi.jsonl --window 16k,32k --format json --out OUT/whatif.json',
  'sweep S --policy none,opencode-1.2.16 --jobs 1 --out OUT/sweep',
  'tune S --vary protect=1k,2k --jobs 1 --hold-out 0 --policy opencode-1.2.16 --out OUT/tune.json --format json',
  'compare none opencode-1.2.16 S --format json --out OUT/compare.json',
  'check minimize S/pi.jsonl --policy opencode-1.2.16',
];
const SERVED = [
  'report serve IN/events.jsonl --port 0',
  'provider --script IN/script.yaml --port 0',
];
const THREADED = [
  'answer S --jobs 2',
  'sweep S --policy none,opencode-1.2.16 --jobs 2 --out OUT/sweep',
  'tune S --vary protect=1k,2k --jobs 2 --hold-out 0 --policy opencode-1.2.16',
];
const ASKING = [
  'run S/pi.jsonl --policy opencode-1.2.16 --set contextTokens=12000 --summarizer ai:openai/gpt-5-mini --retries 0 --timeout 1',
  'summarizers S/claude-code.jsonl --summarizers ai:openai/gpt-5-mini --retries 0 --timeout 1 --rows OUT/rows.jsonl',
];
const DATABASES = [
  'sessions stats D',
  'run D',
  'sessions import D --out OUT/imported',
  'answer D --jobs 1',
];
const QUEUED = [
  'sweep worker --once --queue redis://127.0.0.1:1',
  'sweep S --summarizer scripted:usual --out OUT/sweep --queue redis://127.0.0.1:1',
];
const HOST = 'host: 127.0.0.1\r\n';
const POST = `POST /v1/chat/completions HTTP/1.1\r\n${HOST}`;
const REQUESTS = [
  '\0\u0001garbage\r\n\r\n',
  `GET / HTTP/1.1\r\n${HOST}\r\n`,
  `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`,
  `${POST}content-length: 12\r\n\r\n{"messages":\n`,
  `${POST}content-length: 999\r\n\r\n{`,
  `${POST}content-length: 16\r\n\r\n{"messages":[3]}\n`,
  `${POST}content-length: 55\r\n\r\n{"messages":{"a":1},"tools":[null,{"function":3}],"x":1}\n`,
  `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`,
  `POST /v1/responses HTTP/1.1\r\n${HOST}content-length: 13\r\n\r\n{"input":[0]}\n`,
];

/** What all trials read: sessions, a database, and results that the program writes. */
export function writeInputs(program: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-faults-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const name of SESSIONS)
    cpSync(join(ROOT, 'test/fixtures/sessions', name), join(folder, 'sessions', name));
  const { Database } = createRequire(import.meta.url)(
    'node-sqlite3-wasm',
  ) as typeof import('node-sqlite3-wasm');
  mkdirSync(join(folder, 'databases'));
  const database = new Database(join(folder, 'databases/goose.db'));
  database.exec(
    'CREATE TABLE sessions (id TEXT, working_dir TEXT); CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT, content_json TEXT)',
  );
  database.exec(
    "INSERT INTO sessions VALUES ('a', '/w'); INSERT INTO messages VALUES (1, 'a', 'user', '[{\"type\":\"text\",\"text\":\"Go on.\"}]')",
  );
  database.close();
  const files = {
    'scenario.yaml': SCENARIO,
    'script.yaml': SCRIPT,
    'opencode.json': '{"compaction":{"reserved":9000}}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const run = (line: string) =>
    execFileSync(process.execPath, [program, '--no-cache', ...line.split(' ')], {
      cwd: folder,
      stdio: 'ignore',
    });
  run('run sessions --format json --out run.json --events events.jsonl');
  run('sweep sessions --policy none,opencode-1.2.16 --out sweep');
  return folder;
}

/** A trial that is drawn; `run` says which calls there are of which one can fail. */
export async function createTrial(
  draw: Draw,
  {
    inputs,
    isBinary,
    run,
  }: {
    readonly inputs: string;
    readonly isBinary: boolean;
    readonly run: (trial: Trial) => Promise<Ended>;
  },
): Promise<Trial> {
  const one = <Value>(values: readonly Value[]): Value => values[draw(values.length)] as Value;
  const { line, ...drawn } = drawCase(draw, isBinary);
  const trial = toTrial(line, inputs);
  if (draw(6) === 0 && line.startsWith('run S '))
    trial.argv.push('--adapter', one(ADAPTERS), '--answer-timeout', '5');
  const requests = Array.from({ length: 4 }, () => one(REQUESTS));
  if (drawn.port !== 'files') return { ...trial, requests, fault: drawn };
  // The second run is as all that follow: the first loads what stays.
  for (let round = calls.has(line) ? 2 : 0; round < 2; round++) {
    const watched = toTrial(line, inputs);
    calls.set(line, (await run({ ...watched, requests })).calls as Calls);
    watched.remove();
  }
  const counts = calls.get(line) ?? {};
  const name = one(Object.keys(counts).toSorted());
  const how = one(IN_PARTS.includes(name) ? CODES : CODES.slice(0, -1));
  const nth = 1 + draw(counts[name] ?? 1);
  return {
    ...trial,
    requests,
    fault: { ...drawn, name, how, nth, lasts: draw(2) === 0, within: WITHIN },
  };
}

/** A command line with the port of its fault; calls on files are drawn when it is known which there are. */
function drawCase(draw: Draw, isBinary: boolean): Fault & { readonly line: string } {
  const one = <Value>(values: readonly Value[]): Value => values[draw(values.length)] as Value;
  const nth = 1 + draw(4);
  if (draw(isBinary ? 4 : 100) === 0)
    return { line: one(THREADED), port: 'threads', how: one(BREAKS), nth };
  const kind = draw(20);
  if (kind === 0) return { line: one(ASKING), port: 'fetch', how: one(ANSWERS), nth };
  if (kind === 1)
    return { line: one(DATABASES), port: 'database', name: one(QUERIES), how: one(THROWN), nth };
  if (kind === 2 && isBinary) return { line: one(LONG), port: 'output' };
  if (kind === 2 && draw(9) === 0) return { line: one(QUEUED), port: 'none' };
  const lines = draw(12) === 0 ? LONG : FILES;
  return { line: one(kind === 3 && !isBinary ? SERVED : lines), port: 'files' };
}

function toTrial(line: string, inputs: string) {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-trial-'));
  const places: Readonly<Record<string, string>> = {
    S: join(inputs, 'sessions'),
    D: join(inputs, 'databases'),
    IN: inputs,
    OUT: folder,
  };
  const argv = line
    .split(' ')
    .map((word) => word.replace(/^(?:S|D|IN|OUT)(?=\/|$)/, (name) => places[name] ?? name));
  const fault: Fault = { port: 'watch', within: WITHIN };
  return {
    argv: ['--cache', join(folder, 'cache'), ...argv],
    fault,
    env: { HOME: folder, OPENAI_API_KEY: 'none', CI: '1' },
    stdin: '',
    requests: [],
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What is wrong with how a trial ended; nothing where all is as it should be. */
export function findFlaws(
  { folder, fault }: Trial,
  { code, stdout, stderr }: Ended,
): readonly string[] {
  const flaws: string[] = [];
  if (!EXPECTED_CODES.includes(code)) flaws.push(`ends with ${code}`);
  if (STACK.test(stderr) || STACK.test(stdout)) flaws.push('shows a stack');
  if (/fault of this program/.test(stderr + stdout) && fault.how !== 'part')
    flaws.push('is taken for a fault of the program');
  if (code !== 0 && code !== 130 && stderr.trim() === '' && stdout.trim() === '')
    flaws.push('says nothing');
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of left) {
    const isDraft = /\.writing-|\.tmp$/.test(name) && !name.startsWith('cache');
    if (isDraft && !REMOVING.includes(fault['name'])) flaws.push(`leaves ${name}`);
    if (!isWhole(join(folder, name))) flaws.push(`leaves half of ${name}`);
  }
  return flaws;
}

/** Rows that are added one by one may end in a torn one, which the next run takes away. */
function isWhole(path: string): boolean {
  const name = basename(path);
  const parse = { '.json': 1, '.jsonl': 1, '.html': 1, '.parquet': 1 }[extname(path)];
  if (parse === undefined || !existsSync(path)) return true;
  const text = readFileSync(path, 'latin1');
  if (name.endsWith('.html')) return text.trimEnd().endsWith('</html>');
  if (name.endsWith('.parquet')) return text.startsWith('PAR1') && text.endsWith('PAR1');
  const grows = name === 'results.jsonl' || name === 'summaries.jsonl' || name === 'rows.jsonl';
  const lines = name.endsWith('.json') ? [text] : text.split('\n').slice(0, grows ? -1 : undefined);
  return lines.every((line) => line === '' || isJson(line)) && (text !== '' || grows);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return !(error instanceof SyntaxError);
  }
}
