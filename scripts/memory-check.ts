import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transcriptLines } from '../bench/support/transcripts.ts';
import { writeSession } from '../src/simulator/session/formats/canonical-lines.ts';
import { readSessions } from '../src/simulator/session/load.ts';

/** How many sessions there are in a file, and about how large the transcript of each of them is. */
interface SessionsFileSize {
  readonly sessions: number;
  readonly bytes: number;
}

/** How many transcripts there are, and how large each of them is. */
interface TranscriptsSize {
  readonly files: number;
  readonly bytes: number;
  /** Files that differ; the others are further names of them, for the disk's sake. All by default. */
  readonly distinct?: number;
}

const MAX_PEAK_MB = 700;
const SIZE = { files: 400, bytes: 5_000_000, distinct: 16 };
const BYTES_PER_MB = 1_000_000;
const READER = join(import.meta.dirname, 'memory/read-folder.ts');
const FEW = 1_000;
const MANY = 10_000;
const SESSION_BYTES = 8_000;
/** How much more many sessions may take than few: their names, their hashes and where their rows lie. */
const MAX_GROWTH = 1.25;
/** Else the heap grows as long as nothing keeps it from growing, whatever is still needed of it. */
const SMALL_HEAP = ['--max-old-space-size=100'];
const SWEEPER = join(import.meta.dirname, 'memory/sweep-folder.ts');

/** How the sessions of a sweep lie, by what is said of it: makes so many of them at a path. */
const LAYOUTS: Readonly<Record<string, (path: string, sessions: number) => void>> = {
  'in files of their own': (path, files) => makeTranscripts(path, { files, bytes: SESSION_BYTES }),
  'in one file': (path, sessions) => makeSessionsFile(path, { sessions, bytes: SESSION_BYTES }),
};

/** Ends a process that would never end. */
const TIMEOUT_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
try {
  const results = [checkReading, checkSweeps].map((check) => check(folder));
  if (results.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Checks whether a folder of large transcripts is read in bounded memory; says what it took. */
function checkReading(folder: string): boolean {
  const transcripts = join(folder, 'large');
  makeTranscripts(transcripts, SIZE);
  const peakMb = peakOf(READER, [transcripts]);
  const what = `${SIZE.files} transcripts of ${SIZE.bytes / BYTES_PER_MB} MB`;
  console.log(`${what}: peak ${peakMb} MB (at most ${MAX_PEAK_MB})`);
  return peakMb <= MAX_PEAK_MB;
}

/** Checks whether a sweep over many sessions holds hardly more than one over few; says what they took. */
function checkSweeps(folder: string): boolean {
  return !Object.keys(LAYOUTS)
    .map((layout) => checkSweep(folder, layout))
    .includes(false);
}

function checkSweep(folder: string, layout: string): boolean {
  const fewMb = peakOfSweep(folder, layout, FEW);
  const manyMb = peakOfSweep(folder, layout, MANY);
  const mostMb = Math.round(fewMb * MAX_GROWTH);
  const told = (sessions: number) => `a sweep over ${sessions} sessions ${layout}, in 2 cells`;
  console.log(`${told(FEW)}: peak ${fewMb} MB`);
  console.log(`${told(MANY)}: peak ${manyMb} MB (at most ${mostMb})`);
  return manyMb <= mostMb;
}

function peakOfSweep(folder: string, layout: string, sessions: number): number {
  const path = join(folder, `${sessions} sessions ${layout}.jsonl`);
  LAYOUTS[layout]?.(path, sessions);
  return peakOf(SWEEPER, [path, join(folder, `${sessions} rows ${layout}`)], SMALL_HEAP);
}

/** Writes a new file of sessions. */
function makeSessionsFile(path: string, { sessions, bytes }: SessionsFileSize): void {
  for (let index = 0; index < sessions; index++) {
    const transcript = [...transcriptLines({ index, bytes })].join('');
    for (const session of readSessions(`${index}`, transcript)) {
      appendFileSync(path, [...writeSession(session)].join(''));
    }
  }
}

/** Fills a new folder with transcripts. */
function makeTranscripts(
  folder: string,
  { files, bytes, distinct = files }: TranscriptsSize,
): void {
  mkdirSync(folder);
  for (let index = 0; index < files; index++) {
    const path = join(folder, `${index}.jsonl`);
    if (index >= distinct) linkSync(join(folder, `${index % distinct}.jsonl`), path);
    else writeFileSync(path, [...transcriptLines({ index, bytes })].join(''));
  }
}

/** Megabytes that a script comes to in a process of its own, which prints them in its last line. */
function peakOf(script: string, args: readonly string[], flags: readonly string[] = []): number {
  const printed = execFileSync(process.execPath, [...process.execArgv, ...flags, script, ...args], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  return Number(printed.trim().split('\n').at(-1));
}
