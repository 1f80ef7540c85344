import { closeSync, openSync } from 'node:fs';
import { toCsvLine } from '../../report/csv-line.ts';
import { writeAll } from '../../write-all.ts';
import { createDraft } from '../../write-whole.ts';
import { toWriteError } from '../../writing.ts';
import type { ResultRow } from '../result-row.ts';
import { findSettings, type FlatColumn, toColumns } from './columns.ts';
import { writeParquet } from './write-parquet.ts';

/** How rows are written for other programs. */
export type WriteRows = (
  file: string,
  columns: readonly FlatColumn[],
  rows: Iterable<ResultRow>,
) => void | Promise<void>;

/** Forms of a flat table, by name: one row a run, settings and metrics as columns. */
export const exportFormats = {
  parquet: writeParquet,
  csv: (file, columns, rows) => writeLines(file, csvLines(columns, rows)),
  jsonl: (file, columns, rows) => writeLines(file, jsonLines(columns, rows)),
} satisfies Record<string, WriteRows>;

/**
 * Writes rows as a flat table, whole or not at all; they are read twice. How many there were. Throws `HarnessError`
 * where the system does not let the file be written.
 */
export async function exportRows(
  file: string,
  write: WriteRows,
  readRows: () => Iterable<ResultRow>,
): Promise<number> {
  let count = 0;
  function* counted(): Generator<ResultRow, void, void> {
    for (const row of readRows()) {
      count += 1;
      yield row;
    }
  }
  const columns = toColumns(findSettings(readRows()));
  try {
    await writeTable(file, (path) => write(path, columns, counted()));
  } catch (error) {
    throw toWriteError(file, error);
  }
  return count;
}

async function writeTable(
  file: string,
  write: (path: string) => void | Promise<void>,
): Promise<void> {
  const draft = createDraft(file);
  try {
    await write(draft.path);
    draft.keep();
  } finally {
    draft.drop();
  }
}

function* csvLines(columns: readonly FlatColumn[], rows: Iterable<ResultRow>): Generator<string> {
  yield toCsvLine(columns.map(({ name }) => name));
  for (const row of rows) yield toCsvLine(columns.map(({ of }) => of(row)));
}

function* jsonLines(columns: readonly FlatColumn[], rows: Iterable<ResultRow>): Generator<string> {
  for (const row of rows) {
    const flat = Object.fromEntries(columns.map(({ name, of }) => [name, of(row)]));
    yield `${JSON.stringify(flat)}\n`;
  }
}

function writeLines(file: string, lines: Iterable<string>): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const line of lines) writeAll(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}
