import { closeSync, openSync, statSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { inflateRawSync } from 'node:zlib';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { faultCode, isFault, readFrom } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { groupThousands } from '../../lib/units.ts';
import type { Archive, Closing } from '../format.ts';

/** Where a file of an archive lies. Source: the ZIP specification (APPNOTE), 4.3. */
interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

type ReadAt = (offset: number, bytes: number) => Buffer;

/** A packed file, and its kind in words that follow "a whole". */
interface PackedFile {
  readonly path: string;
  readonly kind: 'archive' | 'Parquet table' | 'SQLite database';
}

type Decompress = (
  packed: Uint8Array,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Buffer;

/** Unpacks Zstandard. Node.js has it from 22.15 on, and the types of 20 do not name it. */
export const zstd = (zlib as { zstdDecompressSync?: typeof zlib.inflateRawSync })
  .zstdDecompressSync;

const MEGABYTE = 1024 ** 2;
/** No record of a session is larger. */
const MOST_BYTES = 256 * MEGABYTE;
/** Text packs to a twentieth; below, any ratio is harmless. */
const MOST_RATIO = 200;
const FREE_BYTES = 16 * MEGABYTE;
const LEAST_CHUNK = 16_384;

const END_MARK = 0x06_05_4b_50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const LARGE_END_MARK = 0x06_06_4b_50;
const LARGE_END_BYTES = 56;
const POINTER_MARK = 0x07_06_4b_50;
const POINTER_BYTES = 20;
const ENTRY_MARK = 0x02_01_4b_50;
const ENTRY_BYTES = 46;
const HEADER_BYTES = 30;
const TOO_LARGE = 0xff_ff_ff_ff;
const LARGE_FIELD = 1;
const STORED = 0;
const DEFLATED = 8;
const ZSTD = 93;

/** Opens an archive, whose files are read one by one; the caller closes it. */
export function openArchive(path: string): Archive & Closing {
  const file = openSync(path, 'r');
  const { size } = statSync(path);
  const readAt: ReadAt = (offset, bytes) => {
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size - offset)));
    return buffer.subarray(0, readFrom(file, buffer, offset));
  };
  const faults: HarnessError[] = [];
  try {
    const entries = readDirectory(readAt, size, path);
    return {
      faults,
      names: [...entries.keys()],
      readText: (name) => {
        const entry = entries.get(name);
        try {
          return entry === undefined ? '' : unpack(readAt, entry, path).toString('utf8');
        } catch (error) {
          faults.push(toDamage(error, { path, kind: 'archive' }));
          return '';
        }
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw toDamage(error, { path, kind: 'archive' });
  }
}

/** Throws `HarnessError` with both figures where a record would have more bytes than `mostUnpacked` says. */
export function checkUnpacked(bytes: number, packedBytes: number, path: string): void {
  if (bytes > mostUnpacked(packedBytes)) throw tooLarge(megabytes(bytes), packedBytes, path);
}

/** Unpacks a record that is said to have so many bytes. Throws `HarnessError` before it fills the memory. */
export function unpackWith(
  decompress: Decompress,
  packed: Uint8Array,
  { bytes, path }: { readonly bytes: number; readonly path: string },
): Buffer {
  const maxOutputLength = mostUnpacked(packed.length);
  checkUnpacked(bytes, packed.length, path);
  try {
    // One piece for all of it, where its size is told.
    return decompress(packed, { maxOutputLength, chunkSize: Math.max(LEAST_CHUNK, bytes + 1) });
  } catch (error) {
    if (faultCode(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw tooLarge(`more than ${megabytes(maxOutputLength)}`, packed.length, path);
  }
}

/** The error of a part that cannot be decoded; what is told already, or is of the system, stays. */
export function toDamage(error: unknown, { path, kind }: PackedFile): HarnessError {
  if (isFault(error)) throw error;
  if (error instanceof HarnessError) return error;
  return new HarnessError(
    'BAD_SESSION',
    `Expected ${quotedLong(path)} to be a whole ${kind}, got one that is damaged: ${messageOf(error)}.`,
    { cause: error },
  );
}

/** Files by name; the last of several holds, which an archive that grew appends. */
function readDirectory(readAt: ReadAt, size: number, path: string): ReadonlyMap<string, Entry> {
  const { offset, bytes } = findDirectory(readAt, size) ?? fail(path);
  const directory = readAt(offset, bytes);
  const entries = new Map<string, Entry>();
  let at = 0;
  while (at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY_MARK) {
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const nameEnd = at + ENTRY_BYTES + nameBytes;
    const name = directory.toString('utf8', at + ENTRY_BYTES, nameEnd);
    entries.set(name, readEntry(directory, at, directory.subarray(nameEnd, nameEnd + extraBytes)));
    at = nameEnd + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function findDirectory(readAt: ReadAt, size: number) {
  const tailBytes = Math.min(size, END_BYTES + MAX_COMMENT_BYTES + POINTER_BYTES);
  const tail = readAt(size - tailBytes, tailBytes);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_MARK) continue;
    const pointerAt = at - POINTER_BYTES;
    const isLarge = pointerAt >= 0 && tail.readUInt32LE(pointerAt) === POINTER_MARK;
    return isLarge
      ? readLargeEnd(readAt(toNumber(tail, pointerAt + 8), LARGE_END_BYTES))
      : { bytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
  }
  return undefined;
}

function readLargeEnd(end: Buffer) {
  const isEnd = end.length === LARGE_END_BYTES && end.readUInt32LE(0) === LARGE_END_MARK;
  return isEnd ? { bytes: toNumber(end, 40), offset: toNumber(end, 48) } : undefined;
}

function toNumber(buffer: Buffer, at: number): number {
  return Number(buffer.readBigUInt64LE(at));
}

function readEntry(directory: Buffer, at: number, extra: Buffer): Entry {
  const method = directory.readUInt16LE(at + 10);
  const packed = directory.readUInt32LE(at + 20);
  const whole = directory.readUInt32LE(at + 24);
  const offset = directory.readUInt32LE(at + 42);
  // Only the values that are too large stand in the extra field, in this order.
  const large = largeValues(extra);
  const bytes = whole === TOO_LARGE ? (large.shift() ?? whole) : whole;
  const packedBytes = packed === TOO_LARGE ? (large.shift() ?? packed) : packed;
  const place = offset === TOO_LARGE ? (large.shift() ?? offset) : offset;
  return { method, packedBytes, bytes, offset: place };
}

function largeValues(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== LARGE_FIELD) continue;
    const count = Math.floor(Math.min(extra.readUInt16LE(at + 2), extra.length - at - 4) / 8);
    return Array.from({ length: count }, (_, index) => toNumber(extra, at + 4 + index * 8));
  }
  return [];
}

function unpack(readAt: ReadAt, { method, packedBytes, bytes, offset }: Entry, path: string) {
  const header = readAt(offset, HEADER_BYTES);
  const dataAt = offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = readAt(dataAt, packedBytes);
  if (method === STORED) {
    checkUnpacked(packed.length, packed.length, path);
    return packed;
  }
  const decompress = method === DEFLATED ? inflateRawSync : method === ZSTD && zstd;
  if (decompress) return unpackWith(decompress, packed, { bytes, path });
  const newer = method === ZSTD ? '; Node.js reads Zstandard from version 22.15 on' : '';
  throw new HarnessError(
    'BAD_SESSION',
    `Expected a file packed with Deflate, got method ${method}${newer}.`,
  );
}

function fail(path: string): never {
  throw new HarnessError(
    'BAD_SESSION',
    `Expected ${quotedLong(path)} to be a whole archive, got one without a directory.`,
  );
}

/** The bytes that a record of so many packed bytes may have: 256 MB, and above 16 MB at most 200 times as many. */
function mostUnpacked(packedBytes: number): number {
  return Math.min(MOST_BYTES, Math.max(FREE_BYTES, packedBytes * MOST_RATIO));
}

function tooLarge(got: string, packedBytes: number, path: string) {
  return new HarnessError(
    'BAD_SESSION',
    `Expected ${quotedLong(path)} to hold records of at most 256 MB, above 16 MB of 200 times their packed size, got ${got} from ${megabytes(packedBytes)}.`,
  );
}

function megabytes(bytes: number): string {
  return bytes < MEGABYTE
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${groupThousands(String(Math.round(bytes / MEGABYTE)))} MB`;
}
