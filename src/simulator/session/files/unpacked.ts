import * as zlib from 'node:zlib';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { faultCode, isFault } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { groupThousands } from '../../lib/units.ts';

/** A packed file, and its kind in words that follow "a whole". */
export interface PackedFile {
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

/** The bytes that a record of so many packed bytes may have: 256 MB, and above 16 MB at most 200 times as many. */
export function mostUnpacked(packedBytes: number): number {
  return Math.min(MOST_BYTES, Math.max(FREE_BYTES, packedBytes * MOST_RATIO));
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
