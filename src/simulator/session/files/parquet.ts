import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as zlib from 'node:zlib';
import {
  type FileMetaData,
  flatten,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { parquetHeader, readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { isFault } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import type { ByteRange, Closing, Table, TableRow } from '../format.ts';

interface Source {
  readonly metadata: FileMetaData;
  readonly readAt: ReadAt;
  kept: { readonly group: RowGroup; readonly columns: Map<string, readonly unknown[]> } | undefined;
}

type ReadAt = (startByte: number, bytes: number) => ArrayBuffer;

const MOST_IN_PAGE = 2 ** 31 - 1;
const FOOTER_BYTES = 8;

/** Node has it from 22.15 on. */
const zstd = (zlib as { zstdDecompressSync?: (packed: Uint8Array) => Uint8Array })
  .zstdDecompressSync;

/** Packings besides the two that the package knows. A version of Node without Zstandard refuses it by name. */
const compressors = {
  GZIP: (packed: Uint8Array) => zlib.gunzipSync(packed),
  BROTLI: (packed: Uint8Array) => zlib.brotliDecompressSync(packed),
  ...(zstd && { ZSTD: zstd }),
};

/** Opens a Parquet file, which the caller closes; a range counts rows. Throws `HarnessError` where it is torn. */
export function openParquet(path: string, range?: ByteRange): Table & Closing {
  const file = openSync(path, 'r');
  const close = () => closeSync(file);
  try {
    const source = decode(path, () => openSource(file));
    const { children } = decode(path, () => parquetSchema(source.metadata));
    return {
      columns: children.map(({ element }) => element.name),
      rowCount: Number(source.metadata.num_rows),
      rows: (columns) => rowsOf(source, columns, { path, range }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The package reads asynchronously; its own steps, which this calls, do not. */
function openSource(file: number): Source {
  const { size } = fstatSync(file);
  const readAt: ReadAt = (startByte, bytes) => {
    const buffer = new ArrayBuffer(bytes);
    readSync(file, new Uint8Array(buffer), 0, bytes, startByte);
    return buffer;
  };
  const length = new DataView(readAt(size - FOOTER_BYTES, FOOTER_BYTES)).getUint32(0, true);
  const bytes = Math.min(size, length + FOOTER_BYTES);
  return { metadata: parquetMetadata(readAt(size - bytes, bytes)), readAt, kept: undefined };
}

function* rowsOf(
  source: Source,
  names: readonly string[],
  { path, range }: { readonly path: string; readonly range: ByteRange | undefined },
): Generator<TableRow, void, undefined> {
  const { startByte: first = 0, endByte: end = Number.POSITIVE_INFINITY } = range ?? {};
  let groupStart = 0;
  for (const group of source.metadata.row_groups) {
    const count = Number(group.num_rows);
    const [from, to] = [Math.max(0, first - groupStart), Math.min(count, end - groupStart)];
    if (from < to) {
      const columns = names.map(
        (name) => [name, decode(path, () => columnOf(source, group, name))] as const,
      );
      for (let row = from; row < to; row += 1) {
        const values = Object.fromEntries(columns.map(([name, column]) => [name, column[row]]));
        yield { index: groupStart + row, values };
      }
    }
    groupStart += count;
  }
}

function columnOf(source: Source, group: RowGroup, name: string): readonly unknown[] {
  if (source.kept?.group !== group) source.kept = { group, columns: new Map() };
  return keepIn(source.kept.columns, name, () => readTop(source, group, name));
}

/** The package would go on for ever. */
function checkPages(view: DataView, values: number): void {
  const reader = { view, offset: 0 };
  while (reader.offset < view.byteLength - 1) {
    const { type, ...page } = parquetHeader(reader);
    const head = page.data_page_header ?? page.dictionary_page_header;
    const newer = page.data_page_header_v2;
    const isNewer = type === 'DATA_PAGE_V2';
    const counts = isNewer
      ? [newer?.num_values, newer?.num_rows, newer?.num_nulls]
      : [head?.num_values];
    const lengths = isNewer
      ? [newer?.definition_levels_byte_length, newer?.repetition_levels_byte_length]
      : [];
    const bytes = [page.compressed_page_size, page.uncompressed_page_size, ...lengths];
    reader.offset += page.compressed_page_size;
    const most = type === 'DICTIONARY_PAGE' ? MOST_IN_PAGE : values;
    const isSound = counts.every(isUpTo(most)) && bytes.every(isUpTo(MOST_IN_PAGE));
    if (!isSound || reader.offset > view.byteLength) throw new Error('a page with a torn header');
  }
}

function readTop({ metadata, readAt }: Source, group: RowGroup, name: string): readonly unknown[] {
  const schema = parquetSchema(metadata);
  const top = schema.children.find(({ element }) => element.name === name);
  const select = {
    groupStart: 0,
    selectStart: 0,
    selectEnd: Number(group.num_rows),
    groupRows: Number(group.num_rows),
  };
  const leaves = new Map<string, unknown[]>();
  for (const { meta_data: column } of group.columns) {
    if (column?.path_in_schema[0] !== name) continue;
    const schemaPath = getTreePath(schema, column.path_in_schema);
    const { element } = schemaPath.at(-1) ?? schema;
    // Some writers leave out where the dictionary is, and it is in front.
    const startByte = Number(column.dictionary_page_offset ?? column.data_page_offset);
    const view = new DataView(readAt(startByte, Number(column.total_compressed_size)));
    const decoder = {
      ...column,
      pathInSchema: column.path_in_schema,
      element,
      schemaPath,
      compressors,
      parsers: DEFAULT_PARSERS,
    };
    checkPages(view, Number(column.num_values));
    const { data } = readColumn({ view, offset: 0 }, select, decoder);
    leaves.set(column.path_in_schema.join('.'), [...flatten(data)]);
  }
  if (top !== undefined && top.children.length > 0) assembleNested(leaves, top, DEFAULT_PARSERS);
  const column = leaves.get(name) ?? [];
  if (column.length === select.selectEnd) return column;
  throw new Error(`${column.length} of ${select.selectEnd} rows of ${quotedLong(name)}`);
}

function isUpTo(most: number) {
  return (count = Number.NaN) => Number.isInteger(count) && count >= 0 && count <= most;
}

function decode<Part>(path: string, read: () => Part): Part {
  try {
    return read();
  } catch (error) {
    if (isFault(error)) throw error;
    throw new HarnessError(
      'BAD_SESSION',
      `Expected ${quotedLong(path)} to be a whole Parquet table, got one that cannot be decoded: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}
