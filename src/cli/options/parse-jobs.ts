import { availableParallelism } from 'node:os';
import { parseWhole } from './parse-whole.ts';

const MOST_JOBS = 256;

/** How many threads a text says, one per core without a text. Throws `HarnessError` where that is no number of them. */
export function parseJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  return parseWhole('--jobs', text, { most: MOST_JOBS });
}
