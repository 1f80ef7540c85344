import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { ResultRow } from '../result-row.ts';
import { RESULTS_FILE } from '../store/header.ts';
import { readAllLines, readLines } from '../store/lines.ts';
import { parseRow } from '../store/places.ts';

/** The rows of a folder in the order in which they stand there. */
export function readRows(folder: string): Generator<ResultRow, void, void> {
  return readRowsOf(join(folder, RESULTS_FILE));
}

/** The rows of a file; what is no row is passed over. */
function* readRowsOf(file: string): Generator<ResultRow, void, void> {
  for (const { text } of readLines(file)) {
    const row = parseRow(text);
    if (row) yield row;
  }
}

/**
 * The rows of a file that somebody named, the last one also without a line break. Throws `HarnessError` at a line that
 * is none.
 */
export function* readOnlyRows(file: string): Generator<ResultRow, void, void> {
  let line = 0;
  for (const { text, isOpen } of readAllLines(file)) {
    line += 1;
    const row = parseRow(text);
    if (row) yield row;
    // A torn one goes.
    else if (!isOpen) {
      const message = `Expected ${quotedLong(file)} to have a sweep row on each line, got something else on line ${line}.`;
      throw new HarnessError('BAD_RESULTS', message);
    }
  }
}
