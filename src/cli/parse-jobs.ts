import { availableParallelism } from 'node:os';
import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';

const MOST_JOBS = 256;

/** How many threads a text says, one per core without a text. Throws `HarnessError` where that is no number of them. */
export function parseJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  const jobs = Number(text);
  if (/^\d+$/.test(text) && jobs >= 1 && jobs <= MOST_JOBS) return jobs;
  const message = `Expected '--jobs' to be from 1 to ${MOST_JOBS}, got ${quoted(text)}.`;
  throw new HarnessError('BAD_OPTION', message);
}
