import { closeSync, fstatSync, openSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type ColumnMetaData,
  type DecodedArray,
  type FileMetaData,
  parquetMetadata,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js';
import { snappyUncompress } from 'hyparquet/src/snappy.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { sum } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
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

/** A column of a row group as it lies in a file. */
interface PackedColumn {
  readonly view: DataView;
  readonly meta: ColumnMetaData;
  readonly schemaPath: SchemaTree[];
  readonly path: string;
}

type Header = ReturnType<typeof parquetHeader>;
type Reader = Parameters<typeof parquetHeader>[0];

const MOST_IN_PAGE = 2 ** 31 - 1;
/** A value in an array, and an array around it for each level. */
const VALUE_BYTES = 8;
const LENGTH_BYTES = 4;
const GROUP_VALUES = 8;
/** Writers fill up the last groups of a page. */
const MOST_PADDING = 512;

const UNPACK: Readonly<Record<string, typeof gunzipSync | undefined>> = {
  GZIP: gunzipSync,
  BROTLI: brotliDecompressSync,
  ZSTD: zstd,
};

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

/** Rows of a column, page by page: none is decoded before it is checked, for the package trusts every number. */
function* rowsOfPages(column: PackedColumn): Generator<unknown[], void, undefined> {
  const { view, meta, schemaPath, path } = column;
  const { element } = schemaPath.at(-1) ?? {};
  if (element === undefined) return;
  const given = { ...meta, pathInSchema: meta.path_in_schema, element, schemaPath };
  const decoder = { ...given, codec: 'UNCOMPRESSED' as const, parsers: DEFAULT_PARSERS };
  const packed = { view, offset: 0 };
  let dictionary: DecodedArray | undefined;
  let begun: unknown[] = [];
  let bytes = 0;
  while (packed.offset < view.byteLength - 1) {
    const header = parquetHeader(packed);
    const values = checkHeader(header, packed, Number(meta.num_values));
    bytes += Math.max(header.uncompressed_page_size, values * VALUE_BYTES * schemaPath.length);
    checkUnpacked(bytes, view.byteLength, path);
    const page = unpackPage(packed, header, column);
    const size = page.byteLength;
    const whole = { ...header, compressed_page_size: size, uncompressed_page_size: size };
    if (header.type !== 'DICTIONARY_PAGE') checkRuns(page, header, column);
    const { data } = readPage({ view: page, offset: 0 }, whole, decoder, dictionary, begun, 0);
    if (header.type === 'DICTIONARY_PAGE') dictionary = data && convert(data, decoder);
    else {
      // The last row of a column of lists may go on in the next page.
      const rows = data === begun ? begun.splice(0, begun.length - 1) : [...begun, ...(data ?? [])];
      if (data !== begun) begun = [];
      if (rows.length > 0) bytes = 0;
      yield rows;
    }
  }
  yield begun;
}

/** The values of a page, whose numbers are none that the package would follow for ever. */
function checkHeader({ type, ...page }: Header, { view, offset }: Reader, most: number): number {
  const head = page.data_page_header ?? page.dictionary_page_header;
  const newer = type === 'DATA_PAGE_V2' ? page.data_page_header_v2 : undefined;
  const { num_values: values = Number.NaN } = newer ?? head ?? {};
  const counts = newer ? [values, newer.num_rows, newer.num_nulls] : [values];
  const lengths = newer && [
    newer.definition_levels_byte_length,
    newer.repetition_levels_byte_length,
  ];
  const bytes = [page.compressed_page_size, page.uncompressed_page_size, ...(lengths ?? [])];
  const isSound =
    counts.every(isUpTo(type === 'DICTIONARY_PAGE' ? MOST_IN_PAGE : most)) &&
    bytes.every(isUpTo(MOST_IN_PAGE)) &&
    offset + page.compressed_page_size <= view.byteLength;
  if (!isSound) throw new Error('a page with a torn header');
  return values;
}

/** The levels of newer pages stand in front, unpacked. */
function unpackPage(packed: Reader, header: Header, { view, meta, path }: PackedColumn): DataView {
  const { compressed_page_size: length, uncompressed_page_size: bytes } = header;
  const {
    definition_levels_byte_length: defined = 0,
    repetition_levels_byte_length: repeated = 0,
  } = header.data_page_header_v2 ?? {};
  const all = new Uint8Array(view.buffer, view.byteOffset + packed.offset, length);
  packed.offset += length;
  const [levels, body] = [all.subarray(0, defined + repeated), all.subarray(defined + repeated)];
  const size = bytes - levels.length;
  const isPacked = header.data_page_header_v2?.is_compressed !== false;
  const page = isPacked ? unpackBody(body, meta.codec, { bytes: size, path }) : body;
  if (page.length !== size) throw new Error(`a page of ${page.length} bytes instead of ${size}`);
  const { buffer, byteOffset, byteLength } =
    levels.length === 0 ? page : Buffer.concat([levels, page]);
  return new DataView(buffer, byteOffset, byteLength);
}

function unpackBody(
  packed: Uint8Array,
  codec: string,
  size: { readonly bytes: number; readonly path: string },
): Uint8Array {
  if (codec === 'UNCOMPRESSED') return packed;
  const unpack = UNPACK[codec];
  if (unpack !== undefined) return unpackWith(unpack, packed, size);
  if (codec !== 'SNAPPY') throw new Error(`parquet unsupported compression codec: ${codec}`);
  const page = new Uint8Array(size.bytes);
  snappyUncompress(packed, page);
  return page;
}

/** The package writes a run as long as it says it is. */
function checkRuns(page: DataView, header: Header, { view, meta, schemaPath, path }: PackedColumn) {
  const newer = header.type === 'DATA_PAGE_V2' ? header.data_page_header_v2 : undefined;
  const { num_values: values = 0, encoding = 'PLAIN' } = newer ?? header.data_page_header ?? {};
  const reader = { view: page, offset: 0 };
  const levels = [
    { most: getMaxRepetitionLevel(schemaPath), length: newer?.repetition_levels_byte_length },
    { most: getMaxDefinitionLevel(schemaPath), length: newer?.definition_levels_byte_length },
  ];
  let present = values;
  for (const { most, length } of levels) {
    if (most === 0) continue;
    const width = 32 - Math.clz32(most);
    const offset = reader.offset + (length === undefined ? LENGTH_BYTES : 0);
    checkRun({ view: page, offset }, width, values);
    const read = Array.from<number>({ length: values });
    readRleBitPackedHybrid(reader, width, read, length);
    present = read.filter((level) => level === most).length;
  }
  if (newer) {
    reader.offset = sum(levels.map(({ length = 0 }) => length));
    present = values - newer.num_nulls;
  } else if (levels[1]?.most === 0) present = values;
  if (encoding === 'DELTA_BYTE_ARRAY') {
    const shared = new Int32Array(present);
    deltaBinaryUnpack(reader, present, shared);
    const bytes = sum(shared.map((each) => Math.max(0, each)));
    return checkUnpacked(bytes, view.byteLength, path);
  }
  if (encoding !== 'RLE' && !encoding.endsWith('_DICTIONARY')) return;
  const isBoolean = newer ? encoding === 'RLE' : meta.type === 'BOOLEAN';
  const width = isBoolean ? 1 : page.getUint8(reader.offset);
  const offset = reader.offset + (isBoolean ? LENGTH_BYTES : 1);
  if (newer || width > 0) checkRun({ view: page, offset }, width, present);
}

function checkRun(reader: Reader, width: number, values: number): void {
  for (let seen = 0; seen < values; ) {
    const head = readVarInt(reader);
    const isPacked = head % 2 !== 0;
    const count = (head >>> 1) * (isPacked ? GROUP_VALUES : 1);
    if (count > values + MOST_PADDING) throw new Error('a page with a torn run');
    reader.offset += isPacked ? (count * width) / GROUP_VALUES : Math.ceil(width / 8);
    seen += count;
  }
}

function isUpTo(most: number) {
  return (count = Number.NaN) => Number.isInteger(count) && count >= 0 && count <= most;
}
