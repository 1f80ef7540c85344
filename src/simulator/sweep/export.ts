import { closeSync, openSync } from 'node:fs';
import { createDraft, toWriteError, writeAll } from '../lib/files.ts';
import { type Column, columnsOf, csvLines, RUN_KEYS, type TableRow } from '../report/row-table.ts';
import { storiesOf, type SweepHeader } from './store/header.ts';

export type WriteRows = (
  file: string,
  columns: readonly Column[],
  rows: Iterable<TableRow>,
) => void | Promise<void>;

const NONE_UNREAD = { unread: [], version: null };
const ROWS_AT_ONCE = 10_000;

export const exportFormats = {
  parquet: writeParquet,
  csv: (file, columns, rows) => writeLines(file, csvLines(columns, rows, NONE_UNREAD)),
  jsonl: (file, columns, rows) => writeLines(file, jsonLines(columns, rows)),
} satisfies Record<string, WriteRows>;

const KEYS = ['session', 'sessionHash', 'cell', ...RUN_KEYS, 'eventDigest', 'family'] as const;

export async function exportRows(
  file: string,
  write: WriteRows,
  {
    readRows,
    header,
  }: { readonly readRows: () => Iterable<TableRow>; readonly header: SweepHeader | undefined },
) {
  let count = 0;
  function* counted(): Generator<TableRow, void, void> {
    for (const row of readRows()) {
      count += 1;
      yield row;
    }
  }
  function* settings(): Generator<TableRow['settings'], void, void> {
    for (const row of readRows()) yield row.settings;
  }
  const stories = header === undefined ? [] : storiesOf(header);
  const columns = columnsOf(KEYS, settings(), { stories, version: header?.version ?? null });
  try {
    const draft = createDraft(file);
    try {
      await write(draft.path, columns, counted());
      draft.keep();
    } finally {
      draft.drop();
    }
  } catch (error) {
    throw toWriteError(file, error);
  }
  return count;
}

async function writeParquet(file: string, columns: readonly Column[], rows: Iterable<TableRow>) {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const toData = (some: readonly TableRow[]) =>
    columns.map(({ name, type, of }) => {
      const data = some.map((row) => {
        const value = of(row);
        // The writer takes whole numbers of 64 bits in no other form.
        return type === 'INT64' && typeof value === 'number' ? BigInt(value) : value;
      });
      return { name, type, nullable: true, data };
    });
  const schema = schemaFromColumnData({ columnData: toData([]) });
  const writer = new ParquetWriter({ writer: fileWriter(file), schema });
  for (const some of chunksOf(rows))
    await writer.write({ columnData: toData(some), rowGroupSize: ROWS_AT_ONCE });
  await writer.finish();
}

function* chunksOf(rows: Iterable<TableRow>): Generator<readonly TableRow[], void, void> {
  let chunk: TableRow[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function writeLines(file: string, lines: Iterable<string>) {
  const descriptor = openSync(file, 'w');
  try {
    for (const line of lines) writeAll(descriptor, line);
  } finally {
    closeSync(descriptor);
  }
}

function* jsonLines(columns: readonly Column[], rows: Iterable<TableRow>): Generator<string> {
  for (const row of rows) {
    const flat = Object.fromEntries(columns.map(({ name, of }) => [name, of(row)]));
    yield `${JSON.stringify(flat)}\n`;
  }
}
