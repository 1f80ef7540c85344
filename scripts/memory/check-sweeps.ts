import { join } from 'node:path';
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

/** Whether a sweep over many sessions holds hardly more than one over few; says what they took. */
export function checkSweeps(folder: string): boolean {
  const fewMb = peakOfSweep(folder, FEW);
  const manyMb = peakOfSweep(folder, MANY);
  const mostMb = Math.round(fewMb * MAX_GROWTH);
  console.log(`a sweep over ${FEW} sessions in 2 cells: peak ${fewMb} MB`);
  console.log(`a sweep over ${MANY} sessions in 2 cells: peak ${manyMb} MB (at most ${mostMb})`);
  return manyMb <= mostMb;
}

function peakOfSweep(folder: string, files: number): number {
  const sessions = join(folder, `${files} sessions`);
  makeTranscripts(sessions, { files, bytes: SESSION_BYTES });
  return peakOf(SWEEPER, [sessions, join(folder, `${files} rows`)], SMALL_HEAP);
}
