import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a sweep consists of, in the folder of one. */
export const HEADER_FILE = 'sweep.json';

/** Its rows, in the same folder. */
export const RESULTS_FILE = 'results.jsonl';

/** Whether a folder holds a sweep. */
export function hasHeader(folder: string): boolean {
  return existsSync(join(folder, HEADER_FILE));
}

/** Whether results lie in a folder, be they of a sweep or not. */
export function hasRows(folder: string): boolean {
  return (statSync(join(folder, RESULTS_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
