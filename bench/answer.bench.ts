import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { medianOf } from './support/median.ts';
import { transcriptLines } from './support/transcripts.ts';

/** Processor and wall time of a program, in ms. */
interface Times {
  readonly processor: number;
  readonly wall: number;
}

/** The same work, by one thing that does it. */
interface Round {
  readonly parse: Times;
  readonly first: Times;
  readonly second: Times;
}

/** The bundled program, which lies beside what is compiled of `src`. */
const PACKAGE = new URL('../../', import.meta.resolve('../src/cli/main.ts'));
const PROGRAM = fileURLToPath(new URL('dist/cli/main.js', PACKAGE));
const CATALOG = fileURLToPath(new URL('catalog/models.json', PACKAGE));
const SHARED = resolve(import.meta.dirname, '../../shared');
const MAKE_HOME = join(SHARED, 'tools/big-home.mjs');
/** As many copies with words and ids of their own make about 150 MB. */
const COPIES = '12';
/** Where Claude Code keeps its sessions. */
const PROJECTS = '.claude/projects';
const GENERATED_SESSIONS = 60;
const GENERATED_BYTES = 2_500_000;
const GROWTH_TOKENS = 1_500;
/** Where a generated session begins anew. */
const LARGEST_TOKENS = 170_000;
const ROUNDS = 3;
/** Other windows make other triggers, so that no run is the one of before. */
const OTHER_WINDOW = 0.9;
const JOBS = '2';
const BYTES_PER_MEGABYTE = 1_000_000;
const US_PER_MS = 1_000;
const MOST = {
  first: { processor: 8, wall: 4.5 },
  second: { processor: 1.5, wall: 1.5 },
} as const;

/** Has a process tell in its last line what it took of its processors, its threads included. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  const tell = () => process.stderr.write('\\n' + JSON.stringify(process.cpuUsage()));
  if (isMainThread) process.on('exit', tell);
`)}`;
const PARSE = `const { readFileSync } = require('node:fs');
  for (const file of process.argv.slice(1)) {
    for (const line of readFileSync(file, 'utf8').split('\\n')) {
      try { JSON.parse(line); } catch { /* One that is cut is none. */ }
    }
  }`;

/** How long the bare command takes by a bare parse of the same files: when nobody counted them before, and then with other windows. */
export const answering: Suite = { id: 'answer', name: 'Answer', run: measure };

async function measure(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-answer-'));
  try {
    const home = join(folder, 'home');
    const kind = makeHome(home);
    const { files } = discoverSessionFiles([join(home, PROJECTS)]);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const rounds = Array.from({ length: ROUNDS }, (_, round) =>
      runRound(folder, { home, files, cache: join(folder, `cache-${round}`) }),
    );
    const megabytes = (bytes / BYTES_PER_MEGABYTE).toFixed(0);
    return {
      notes: [
        `${files.length} ${kind} transcripts, ${megabytes} MB, ${JOBS} jobs`,
        ...(['parse', 'first', 'second'] as const).map((name) => noteOf(name, rounds)),
      ],
      figures: [
        ...figuresOf('answer.firstOverParse', 'first', rounds),
        ...figuresOf('answer.secondOverParse', 'second', rounds),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A home with sessions of Claude Code; returns of which kind they are. */
function makeHome(home: string): string {
  if (existsSync(MAKE_HOME)) {
    execFileSync(process.execPath, [MAKE_HOME, join(SHARED, 'sessions'), home, COPIES]);
    return 'recorded';
  }
  const folder = join(home, PROJECTS, '-work-app');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < GENERATED_SESSIONS; index++) {
    const lines = transcriptLines({ index, bytes: GENERATED_BYTES });
    writeFileSync(join(folder, `${index}.jsonl`), [...grown(lines, index)].join(''));
  }
  return 'generated';
}

/** Lines of a model that has a price, whose contexts grow; each session has times of its own. */
function* grown(lines: Iterable<string>, index: number): Generator<string, void, void> {
  let tokens = 0;
  let atMs = Date.UTC(2026, 0, 2) + index;
  for (const line of lines) {
    tokens = (tokens + GROWTH_TOKENS) % LARGEST_TOKENS;
    atMs += US_PER_MS;
    yield line
      .replace('claude-kettle-1', 'claude-sonnet-4-5')
      .replace(/("cache_read_input_tokens":)\d+/, `$1${tokens}`)
      .replace(/("timestamp":)"[^"]+"/, `$1"${new Date(atMs).toISOString()}"`);
  }
}

function runRound(
  folder: string,
  given: { readonly home: string; readonly files: readonly string[]; readonly cache: string },
): Round {
  const env = { HOME: given.home, COMPACTION_BENCH_CACHE: given.cache };
  const argv = [PROGRAM, '--all', '--jobs', JOBS, '--quiet'];
  return {
    parse: timesOf(['-e', PARSE, ...given.files], env),
    first: timesOf(argv, env),
    second: timesOf([...argv, '--catalog', otherCatalog(folder)], env),
  };
}

/** The shipped models with smaller windows. */
function otherCatalog(folder: string): string {
  const path = join(folder, 'catalog.json');
  const other = readFileSync(CATALOG, 'utf8').replaceAll(
    /("context": ?)(\d+)/g,
    (_, key: string, tokens: string) => `${key}${Math.round(Number(tokens) * OTHER_WINDOW)}`,
  );
  writeFileSync(path, other);
  return path;
}

/** Throws where the program fails. */
function timesOf(argv: readonly string[], env: Readonly<Record<string, string>>): Times {
  const startMs = performance.now();
  const ran = spawnSync(process.execPath, ['--import', TELL_USAGE, ...argv], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const wall = performance.now() - startMs;
  if (ran.status !== 0) throw new Error(`Expected figures, got: ${ran.stderr}`);
  const { user, system } = JSON.parse(ran.stderr.split('\n').at(-1) ?? '');
  return { processor: (user + system) / US_PER_MS, wall };
}

function noteOf(name: keyof Round, rounds: readonly Round[]): string {
  const seconds = (of: keyof Times) =>
    (medianOf(rounds.map((round) => round[name][of])) / US_PER_MS).toFixed(1);
  return `${name}: ${seconds('processor')} s of processors, ${seconds('wall')} s`;
}

function figuresOf(
  name: string,
  of: 'first' | 'second',
  rounds: readonly Round[],
): readonly Figure[] {
  return (['processor', 'wall'] as const).map((time) => ({
    name: `${name}.${time}`,
    value: medianOf(rounds.map((round) => round[of][time] / round.parse[time])),
    unit: '×',
    atMost: MOST[of][time],
  }));
}
