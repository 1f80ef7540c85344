import { closeSync, fstatSync, openSync } from 'node:fs';
import {
  type DecodedArray,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { sum } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { readFrom } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import type { ByteRange, Closing, Table, TableRow } from '../format.ts';
import { rowsOfPages } from './parquet-pages.ts';
import { toDamage } from './unpacked.ts';

interface Source {
  readonly metadata: FileMetaData;
  readonly readAt: (startByte: number, bytes: number) => ArrayBuffer;
  readonly path: string;
  readonly faults: HarnessError[];
}

/** Columns of a row group, and rows of it. */
interface Wanted {
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly groupStart: number;
}

const KIND = 'Parquet table';
const FOOTER_BYTES = 8;
const LABEL_BYTES = 200;

/** Opens a Parquet file, which the caller closes; a range counts rows. Throws `HarnessError` where its end is torn. */
export function openParquet(path: string, range?: ByteRange): Table & Closing {
  const file = openSync(path, 'r');
  const close = () => closeSync(file);
  try {
    const source = openSource(file, path);
    const { children } = parquetSchema(source.metadata);
    if (children.some(({ element }) => !element.name)) throw new Error('a column without a name');
    return {
      faults: source.faults,
      columns: children.map(({ element }) => element.name),
      labels: children.flatMap(({ element: { name }, children: { length } }) =>
        length === 0 && bytesPerRow(source.metadata, name) <= LABEL_BYTES ? [name] : [],
      ),
      rowCount: Number(source.metadata.num_rows),
      rows: (columns) => rowsOf(source, columns, range),
      close,
    };
  } catch (error) {
    close();
    throw toDamage(error, { path, kind: KIND });
  }
}

function bytesPerRow({ row_groups: groups, num_rows: count }: FileMetaData, name: string) {
  const chunks = groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data: meta }) => meta ?? []),
  );
  const own = chunks.filter(({ path_in_schema: [first] }) => first === name);
  return sum(own.map((meta) => Number(meta.total_uncompressed_size))) / Number(count);
}

/** The package reads asynchronously; its own steps, which this calls, do not. */
function openSource(file: number, path: string): Source {
  const { size } = fstatSync(file);
  const readAt: Source['readAt'] = (startByte, bytes) => {
    const buffer = new ArrayBuffer(Math.min(bytes, size - startByte));
    readFrom(file, new Uint8Array(buffer), startByte);
    return buffer;
  };
  const length = new DataView(readAt(size - FOOTER_BYTES, FOOTER_BYTES)).getUint32(0, true);
  const bytes = Math.min(size, length + FOOTER_BYTES);
  return { metadata: parquetMetadata(readAt(size - bytes, bytes)), readAt, path, faults: [] };
}

function* rowsOf(
  source: Source,
  names: readonly string[],
  { startByte: first = 0, endByte: end = Number.POSITIVE_INFINITY }: Partial<ByteRange> = {},
): Generator<TableRow, void, undefined> {
  let groupStart = 0;
  for (const group of source.metadata.row_groups) {
    const count = Number(group.num_rows);
    const [from, to] = [Math.max(0, first - groupStart), Math.min(count, end - groupStart)];
    try {
      if (from < to || count < 0)
        yield* rowsOfGroup(source, group, { names, from, to, groupStart });
    } catch (error) {
      // What follows a torn group is read all the same.
      const fault = toDamage(error, { path: source.path, kind: KIND });
      if (fault === error) throw error;
      source.faults.push(fault);
    }
    groupStart += count;
  }
}

/** The rows of a group up to one. Throws where it has another number of them than it says. */
function* rowsOfGroup(
  source: Source,
  group: RowGroup,
  { names, from, to, groupStart }: Wanted,
): Generator<TableRow, void, undefined> {
  const count = Number(group.num_rows);
  const columns = names.map((name) => ({ name, rows: rowsOfColumn(source, group, name) }));
  for (let index = 0; index < to; index += 1) {
    const values: Record<string, unknown> = {};
    for (const { name, rows } of columns) {
      const next = rows.next();
      if (next.done) throw new Error(`${index} of ${count} rows of ${quotedLong(name)}`);
      values[name] = next.value;
    }
    if (index >= from) yield { index: groupStart + index, values };
  }
  const longer = to === count && columns.find(({ rows }) => rows.next().done !== true);
  if (longer) throw new Error(`more than ${count} rows of ${quotedLong(longer.name)}`);
}

/** The values of a column, put together from its leaves as their pages come. */
function* rowsOfColumn({ metadata, readAt, path }: Source, group: RowGroup, name: string) {
  const schema = parquetSchema(metadata);
  const top = schema.children.find(({ element }) => element.name === name);
  const leaves = group.columns.flatMap(({ meta_data: meta }) => {
    if (meta?.path_in_schema[0] !== name) return [];
    // Some writers leave out where the dictionary is, and it is in front.
    const startByte = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
    const view = new DataView(readAt(startByte, Number(meta.total_compressed_size)));
    const schemaPath = getTreePath(schema, meta.path_in_schema);
    const pages = rowsOfPages({ view, meta, schemaPath, path });
    return [{ key: meta.path_in_schema.join('.'), pages, waiting: new Array<unknown>() }];
  });
  for (;;) {
    for (const leaf of leaves) if (leaf.waiting.length === 0) leaf.waiting = nextRows(leaf.pages);
    const count = Math.min(...leaves.map(({ waiting }) => waiting.length));
    if (count === 0 || leaves.length === 0) return;
    const rows = new Map<string, DecodedArray>(
      leaves.map(({ key, waiting }) => [key, waiting.splice(0, count)]),
    );
    if (top !== undefined && top.children.length > 0) assembleNested(rows, top, DEFAULT_PARSERS);
    yield* rows.get(name) ?? [];
  }
}

/** The rows that the next pages complete; none at the end. */
function nextRows(pages: Iterator<unknown[], void>): unknown[] {
  for (let next = pages.next(); !next.done; next = pages.next())
    if (next.value.length > 0) return next.value;
  return [];
}
