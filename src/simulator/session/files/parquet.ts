import { closeSync, fstatSync, openSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type ColumnMetaData,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
} from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { parquetHeader, readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { sum } from '../../lib/collections.ts';
import type { HarnessError } from '../../lib/errors.ts';
import { readFrom } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import type { ByteRange, Closing, Table, TableRow } from '../format.ts';
import { checkUnpacked, toDamage, unpackWith, zstd } from './archive.ts';

interface Source {
  readonly metadata: FileMetaData;
  readonly readAt: (startByte: number, bytes: number) => ArrayBuffer;
  readonly path: string;
  readonly faults: HarnessError[];
}

interface Wanted {
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly groupStart: number;
}

const MOST_IN_PAGE = 2 ** 31 - 1;
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
    try {
      if (first < groupStart + count && groupStart < end) {
        const [from, to] = [Math.max(0, first - groupStart), end - groupStart];
        yield* rowsOfGroup(source, group, { names, groupStart, from, to });
      }
    } catch (error) {
      // What follows a torn group is read all the same.
      const fault = toDamage(error, { path: source.path, kind: KIND });
      if (fault === error) throw error;
      source.faults.push(fault);
    }
    groupStart += count;
  }
}

/** The rows of a group. Throws behind them where it has another number of them than it says. */
function* rowsOfGroup(
  source: Source,
  group: RowGroup,
  { names, groupStart, from, to }: Wanted,
): Generator<TableRow, void, undefined> {
  const count = Number(group.num_rows);
  const columns = names.map((name) => [name, rowsOfColumn(source, group, name)] as const);
  const least = Math.min(count, to, ...columns.map(([, { length }]) => length));
  for (let at = from; at < least; at += 1) {
    const values = Object.fromEntries(columns.map(([name, rows]) => [name, rows[at]]));
    yield { index: groupStart + at, values };
  }
  const torn = columns.find(([, { length }]) => length !== count);
  if (torn) throw new Error(`${torn[1].length} of ${count} rows of ${quotedLong(torn[0])}`);
}

function rowsOfColumn({ metadata, readAt, path }: Source, group: RowGroup, name: string) {
  const schema = parquetSchema(metadata);
  const top = schema.children.find(({ element }) => element.name === name);
  const rowCount = Number(group.num_rows);
  const select = { groupStart: 0, selectStart: 0, selectEnd: rowCount, groupRows: rowCount };
  const unpack = (decompress: typeof gunzipSync) => (packed: Uint8Array, bytes: number) =>
    unpackWith(decompress, packed, { bytes, path });
  const compressors: Compressors = {
    GZIP: unpack(gunzipSync),
    BROTLI: unpack(brotliDecompressSync),
    ...(zstd && { ZSTD: unpack(zstd) }),
  };
  const leaves = group.columns.flatMap(({ meta_data: meta }) => {
    if (meta?.path_in_schema[0] !== name) return [];
    const schemaPath = getTreePath(schema, meta.path_in_schema);
    const { element } = schemaPath.at(-1) ?? schema;
    // Some writers leave out where the dictionary is, and it is in front.
    const startByte = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
    const view = new DataView(readAt(startByte, Number(meta.total_compressed_size)));
    checkPages(view, meta, path);
    const told = { pathInSchema: meta.path_in_schema, element, schemaPath, compressors };
    const decoder = { ...meta, ...told, parsers: DEFAULT_PARSERS };
    const rows: DecodedArray = readColumn({ view, offset: 0 }, select, decoder).data.flatMap(
      (chunk) => [...chunk],
    );
    return [[meta.path_in_schema.join('.'), rows] as const];
  });
  const columns = new Map(leaves);
  if (top !== undefined && top.children.length > 0) assembleNested(columns, top, DEFAULT_PARSERS);
  return columns.get(name) ?? [];
}

/** Throws for headers of pages that the package would follow for ever, or fill the memory by. */
function checkPages(view: DataView, { num_values: most }: ColumnMetaData, path: string): void {
  const reader = { view, offset: 0 };
  while (reader.offset < view.byteLength - 1) {
    const { type, ...page } = parquetHeader(reader);
    const newer = type === 'DATA_PAGE_V2' ? page.data_page_header_v2 : undefined;
    const values = (newer ?? page.data_page_header ?? page.dictionary_page_header)?.num_values;
    const bytes = [page.compressed_page_size, page.uncompressed_page_size];
    if (newer) bytes.push(newer.definition_levels_byte_length, newer.repetition_levels_byte_length);
    const isSound =
      isUpTo(type === 'DICTIONARY_PAGE' ? MOST_IN_PAGE : Number(most), values) &&
      bytes.every((one) => isUpTo(MOST_IN_PAGE, one)) &&
      reader.offset + page.compressed_page_size <= view.byteLength;
    if (!isSound) throw new Error('a page with a torn header');
    checkUnpacked(page.uncompressed_page_size, path);
    reader.offset += page.compressed_page_size;
  }
}

function isUpTo(most: number, count = Number.NaN): boolean {
  return Number.isInteger(count) && count >= 0 && count <= most;
}
