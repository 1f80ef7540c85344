import { closeSync, openSync } from 'node:fs';
import { createDraft, toWriteError, writeAll } from '../lib/files.ts';
import { METRIC_NAMES } from '../metrics/metrics.ts';
import { modeOf } from '../metrics/record.ts';
import { toCsvLine } from '../report/markup.ts';
import type { SettingValue } from '../scenario/settings.ts';
import type { ResultRow } from './store/row.ts';

/** How rows are written for other programs. */
export type WriteRows = (
  file: string,
  columns: readonly FlatColumn[],
  rows: Iterable<ResultRow>,
) => void | Promise<void>;

/** A cell of a flat table; `null` is unknown, or not set. */
type FlatValue = string | number | boolean | null;

/** Type of a setting's values; mixed ones are all texts. */
type SettingType = 'STRING' | 'DOUBLE' | 'BOOLEAN';

/** A column of a flat table. */
interface FlatColumn {
  readonly name: string;
  readonly type: SettingType | 'INT64';
  readonly of: (row: ResultRow) => FlatValue;
}

/** Rows that are in memory at a time. */
const ROWS_AT_ONCE = 10_000;

/** Forms of a flat table, by name: one row a run, settings and metrics as columns. */
export const exportFormats = {
  parquet: writeParquet,
  csv: (file, columns, rows) => writeLines(file, csvLines(columns, rows)),
  jsonl: (file, columns, rows) => writeLines(file, jsonLines(columns, rows)),
} satisfies Record<string, WriteRows>;

/** Settings and metrics share some names. */
const SETTING_PREFIX = 'set_';

const KEY_COLUMNS: readonly FlatColumn[] = [
  ...(['session', 'sessionHash', 'cell', 'policy', 'model', 'summarizer'] as const).map(textColumn),
  { name: 'seed', type: 'INT64', of: ({ seed }) => seed },
  { name: 'mode', type: 'STRING', of: modeOf },
  textColumn('state'),
  optionalColumn('reason'),
  textColumn('eventDigest'),
  optionalColumn('family'),
  optionalColumn('impossible'),
  optionalColumn('baseline'),
];

const METRIC_COLUMNS: readonly FlatColumn[] = METRIC_NAMES.map((name) => ({
  name,
  type: 'DOUBLE',
  of: (row) => row.metrics[name] ?? null,
}));

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

function toColumns(found: ReadonlyMap<string, SettingType>): readonly FlatColumn[] {
  const settings = [...found].map(([name, type]) => settingColumn(name, type));
  return [...KEY_COLUMNS, ...settings, ...METRIC_COLUMNS];
}

function settingColumn(name: string, type: SettingType): FlatColumn {
  const of = (row: ResultRow): FlatValue => {
    const value = new Map<string, SettingValue>(Object.entries(row.settings)).get(name);
    if (value === undefined) return null;
    return type === 'STRING' ? String(value) : value;
  };
  return { name: SETTING_PREFIX + name, type, of };
}

/** Every setting that any row has, with what its values are, in the order of their first. */
function findSettings(rows: Iterable<ResultRow>): ReadonlyMap<string, SettingType> {
  const found = new Map<string, SettingType>();
  for (const { settings } of rows) {
    for (const [name, value] of Object.entries(settings)) {
      const type = typeOf(value);
      found.set(name, (found.get(name) ?? type) === type ? type : 'STRING');
    }
  }
  return found;
}

function typeOf(value: SettingValue): SettingType {
  if (typeof value === 'number') return 'DOUBLE';
  return typeof value === 'boolean' ? 'BOOLEAN' : 'STRING';
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

/** Writes rows as a Parquet file with these columns, all of which may be unknown. */
async function writeParquet(
  file: string,
  columns: readonly FlatColumn[],
  rows: Iterable<ResultRow>,
): Promise<void> {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const toData = (some: readonly ResultRow[]) =>
    columns.map(({ name, type, of }) => {
      const data = some.map(of);
      return { name, type, nullable: true, data: type === 'INT64' ? data.map(toWide) : data };
    });
  const schema = schemaFromColumnData({ columnData: toData([]) });
  const writer = new ParquetWriter({ writer: fileWriter(file), schema });
  for (const some of chunksOf(rows)) {
    await writer.write({ columnData: toData(some), rowGroupSize: ROWS_AT_ONCE });
  }
  await writer.finish();
}

/** The writer takes whole numbers of 64 bits in no other form. */
function toWide(value: FlatValue): FlatValue | bigint {
  return typeof value === 'number' ? BigInt(value) : value;
}

function* chunksOf(rows: Iterable<ResultRow>): Generator<readonly ResultRow[], void, void> {
  let chunk: ResultRow[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function writeLines(file: string, lines: Iterable<string>): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const line of lines) writeAll(descriptor, line);
  } finally {
    closeSync(descriptor);
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

function optionalColumn(name: 'reason' | 'family' | 'impossible' | 'baseline'): FlatColumn {
  return { name, type: 'STRING', of: (row) => row[name] ?? null };
}

function textColumn(
  name:
    | 'session'
    | 'sessionHash'
    | 'cell'
    | 'policy'
    | 'model'
    | 'summarizer'
    | 'state'
    | 'eventDigest',
): FlatColumn {
  return { name, type: 'STRING', of: (row) => row[name] };
}
