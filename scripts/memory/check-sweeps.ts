import { join } from 'node:path';
import { makeSessionsFile } from './make-sessions-file.ts';
import { makeTranscripts } from './make-transcripts.ts';
import { peakOf } from './peak-of.ts';

const FEW = 1_000;
const MANY = 10_000;
const SESSION_BYTES = 8_000;
/** How much more many sessions may take than few: their names, their hashes and where their rows lie. */
const MAX_GROWTH = 1.25;
/** Else the heap grows as long as nothing keeps it from growing, whatever is still needed of it. */
const SMALL_HEAP = ['--max-old-space-size=100'];
const SWEEPER = join(import.meta.dirname, 'sweep-folder.ts');

/** How the sessions of a sweep lie, by what is said of it: makes so many of them at a path. */
const LAYOUTS: Readonly<Record<string, (path: string, sessions: number) => void>> = {
  'in files of their own': (path, files) => makeTranscripts(path, { files, bytes: SESSION_BYTES }),
  'in one file': (path, sessions) => makeSessionsFile(path, { sessions, bytes: SESSION_BYTES }),
};

/** Whether a sweep over many sessions holds hardly more than one over few; says what they took. */
export function checkSweeps(folder: string): boolean {
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
