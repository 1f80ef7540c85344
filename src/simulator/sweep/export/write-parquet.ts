import type { ResultRow } from '../result-row.ts';
import type { FlatColumn, FlatValue } from './columns.ts';

/** Rows that are in memory at a time. */
const ROWS_AT_ONCE = 10_000;

/** Writes rows as a Parquet file with these columns, all of which may be unknown. */
export async function writeParquet(
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
