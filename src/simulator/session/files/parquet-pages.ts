import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ColumnMetaData, DecodedArray, SchemaTree } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { snappyUncompress } from 'hyparquet/src/snappy.js';
import { readVarInt } from 'hyparquet/src/thrift.js';
import { sum } from '../../lib/collections.ts';
import { checkUnpacked, unpackWith, zstd } from './unpacked.ts';

/** A column of a row group as it lies in a file. */
export interface PackedColumn {
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

/** Rows of a column, page by page: none is decoded before it is checked, for the package trusts every number. */
export function* rowsOfPages(column: PackedColumn): Generator<unknown[], void, undefined> {
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
