import { RESULTS_FILE } from '../../sweep-files.ts';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import type { ResultRow } from '../result-row.ts';
import type { SweepHeader } from '../store/header.ts';
import { checkRow } from '../store/check-row.ts';
import { readAllLines, readLines } from '../store/lines.ts';
import { createPlaces, parseRow, type RowKey } from '../store/places.ts';

/** Tells of each row whether it is the first of its run; a run may be written twice where a machine was lost. */
type IsFirst = (row: ResultRow) => boolean;

/** A folder of a sweep, and what it says the sweep is. */
export interface SweepFolder {
  readonly folder: string;
  readonly header: SweepHeader;
}

/** The rows of a folder in the order in which they stand there, each once; what is no row of its sweep is passed over. Throws `HarnessError` at a row that is not as sweeps write them. */
export function* readRows({ folder, header }: SweepFolder): Generator<ResultRow, void, void> {
  const isFirst = firstInSweep(header);
  const file = join(folder, RESULTS_FILE);
  for (const { text, number } of readLines(file)) {
    const row = parseRow(text);
    if (row === undefined || !isFirst(row)) continue;
    checkRow(row, { file, line: number });
    yield row;
  }
}

/**
 * The rows of a file that somebody named, each once, the last one also without a line break; of the sweep that lies
 * beside it, if one does. Throws `HarnessError` at a line that is none, or not as sweeps write them.
 */
export function* readOnlyRows(
  file: string,
  header: SweepHeader | undefined,
): Generator<ResultRow, void, void> {
  const isFirst = header === undefined ? firstOfAny() : firstInSweep(header);
  for (const { text, isOpen, number: line } of readAllLines(file)) {
    const row = parseRow(text);
    if (row) checkRow(row, { file, line });
    if (row && isFirst(row)) yield row;
    // A torn one goes.
    if (row === undefined && !isOpen) {
      const message = `Expected ${quotedLong(file)} to have a sweep row on each line, got something else on line ${line}.`;
      throw new HarnessError('BAD_RESULTS', message);
    }
  }
}

/** Tells of rows of any sweeps which are the first of their runs. */
export function firstOfAny(): (row: Partial<RowKey>) => boolean {
  const seen = new Set<string>();
  return ({ session, sessionHash, cell, seed }) => {
    const { size } = seen;
    return seen.add(JSON.stringify([session, sessionHash, cell, seed])).size > size;
  };
}

function firstInSweep(header: SweepHeader): IsFirst {
  const places = createPlaces(header);
  const isTaken = new Uint8Array(places.total);
  return (row) => {
    const place = places.placeOfRow(row);
    if (place === undefined || isTaken[place] === 1) return false;
    isTaken[place] = 1;
    return true;
  };
}
