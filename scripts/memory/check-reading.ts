import { join } from 'node:path';
import { makeTranscripts } from './make-transcripts.ts';
import { peakOf } from './peak-of.ts';

const MAX_PEAK_MB = 700;
const SIZE = { files: 400, bytes: 5_000_000, distinct: 16 };
const BYTES_PER_MB = 1_000_000;
const READER = join(import.meta.dirname, 'read-folder.ts');

/** Whether a folder of large transcripts is read in bounded memory; says what it took. */
export function checkReading(folder: string): boolean {
  const transcripts = join(folder, 'large');
  makeTranscripts(transcripts, SIZE);
  const peakMb = peakOf(READER, [transcripts]);
  const what = `${SIZE.files} transcripts of ${SIZE.bytes / BYTES_PER_MB} MB`;
  console.log(`${what}: peak ${peakMb} MB (at most ${MAX_PEAK_MB})`);
  return peakMb <= MAX_PEAK_MB;
}
