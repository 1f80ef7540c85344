import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import { loadSessions } from '../src/simulator/session/load.ts';
import type { Suite, SuiteResult } from './suite.ts';
import { clockMs, showRounds, takeTurns } from './support/take-turns.ts';
import { transcriptLines } from './support/transcripts.ts';

/** Reading sessions takes at most twice as long as parsing the lines of their files. */
const MIN_RATIO = 0.5;
const RECORDED = resolve(import.meta.dirname, '../../shared/sessions/claude-code');
const GENERATED_FILES = 6;
const GENERATED_BYTES = 3_000_000;
const ROUNDS = 21;

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
  const { bare, sessions } = await takeTurns(ROUNDS, {
    bare: () => clockMs(() => parseFiles(files)),
    sessions: () => clockMs(() => countMessages(files)),
  });
  return {
    notes: [
      `${files.length} ${kind} transcripts, ${toMegabytes(bytes)} MB`,
      showRounds('read, split and parse', bare),
      showRounds('read sessions', sessions),
    ],
    figures: [
      { name: 'import.megabytesPerSecond', value: toRate(bytes, sessions.p50), unit: 'MB/s' },
      {
        name: 'import.ratioToJsonParse',
        value: bare.p50 / sessions.p50,
        unit: 'ratio',
        atLeast: MIN_RATIO,
      },
    ],
  };
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
