import { join } from 'node:path';
import type { ResultRow } from '../result-row.ts';
import { RESULTS_FILE } from '../store/header.ts';
import { readLines } from '../store/lines.ts';
import { parseRow } from '../store/places.ts';

/** The rows of a folder in the order in which they stand there. */
export function readRows(folder: string): Generator<ResultRow, void, void> {
  return readRowsOf(join(folder, RESULTS_FILE));
}

/** The rows of a file; what is no row is passed over. */
export function* readRowsOf(file: string): Generator<ResultRow, void, void> {
  for (const { text } of readLines(file)) {
    const row = parseRow(text);
    if (row) yield row;
  }
}
