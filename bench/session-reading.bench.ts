import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Bench } from 'tinybench';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import { loadSessions } from '../src/simulator/session/load.ts';
import type { Suite, SuiteResult } from './suite.ts';
import { medianMs, medianOf } from './support/median.ts';
import { transcriptLines } from './support/transcripts.ts';

/** Reading sessions takes at most twice as long as parsing the lines of their files. */
const MIN_RATIO = 0.5;
const RECORDED = resolve(import.meta.dirname, '../../shared/sessions/claude-code');
const GENERATED_FILES = 6;
const GENERATED_BYTES = 3_000_000;
/** Both tasks take turns, so that what else the machine does meets both. */
const ROUNDS = 7;
const ITERATIONS = 3;
const BARE = 'read, split and parse';
const SESSIONS = 'read sessions';

/** How fast sessions are read, without counting tokens, beside a bare parse of the same files. */
export const sessionReading: Suite = {
  id: 'import',
  name: 'Session reading',
  run: async () => (existsSync(RECORDED) ? measure('recorded', RECORDED) : measureGenerated()),
};

async function measureGenerated(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  try {
    for (let index = 0; index < GENERATED_FILES; index++) {
      const lines = transcriptLines({ index, bytes: GENERATED_BYTES });
      writeFileSync(join(folder, `${index}.jsonl`), [...lines].join(''));
    }
    return await measure('generated', folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(kind: string, folder: string): Promise<SuiteResult> {
  const { files } = discoverSessionFiles([folder]);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const rounds: Round[] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await runRound(files));
  const ratio = medianOf(rounds.map(({ bareMs, sessionsMs }) => bareMs / sessionsMs));
  const bareMs = medianOf(rounds.map((round) => round.bareMs));
  const sessionsMs = medianOf(rounds.map((round) => round.sessionsMs));
  return {
    notes: [
      `${files.length} ${kind} transcripts, ${toMegabytes(bytes)} MB`,
      `${BARE}: ${bareMs.toFixed(0)} ms, ${toRate(bytes, bareMs).toFixed(0)} MB/s`,
    ],
    figures: [
      { name: 'import.megabytesPerSecond', value: toRate(bytes, sessionsMs), unit: 'MB/s' },
      { name: 'import.ratioToJsonParse', value: ratio, unit: 'ratio', atLeast: MIN_RATIO },
    ],
  };
}

interface Round {
  readonly bareMs: number;
  readonly sessionsMs: number;
}

async function runRound(files: readonly string[]): Promise<Round> {
  const bench = new Bench({ iterations: ITERATIONS, time: 0, warmup: false });
  bench.add(BARE, () => parseFiles(files)).add(SESSIONS, () => countMessages(files));
  await bench.run();
  return { bareMs: medianMs(bench, BARE), sessionsMs: medianMs(bench, SESSIONS) };
}

function parseFiles(files: readonly string[]): number {
  let records = 0;
  for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n')) records += parseLine(line);
  }
  return records;
}

/** Lines that are no JSON are there too. */
function parseLine(line: string): number {
  if (line === '') return 0;
  try {
    JSON.parse(line);
    return 1;
  } catch (error) {
    if (error instanceof SyntaxError) return 0;
    throw error;
  }
}

function countMessages(files: readonly string[]): number {
  let messages = 0;
  for (const loaded of loadSessions(files)) {
    if (loaded.state === 'read') messages += loaded.session.messages.length;
  }
  return messages;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** In MB/s. */
function toRate(bytes: number, ms: number): number {
  return bytes / 1_000 / ms;
}
