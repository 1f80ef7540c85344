import { closeSync, openSync, readSync } from 'node:fs';
import type { ByteRange } from '../format.ts';

const CHUNK_BYTES = 65_536;

/** The bytes of a file, or of a part of it, piece by piece. A file that is a pipe can be read as a whole only. */
export function* readChunks(path: string, range?: ByteRange): Generator<Buffer, void, undefined> {
  const file = openSync(path, 'r');
  try {
    let at = range?.startByte ?? 0;
    const end = range?.endByte ?? Number.POSITIVE_INFINITY;
    while (at < end) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const count = readSync(file, buffer, 0, buffer.length, range === undefined ? null : at);
      if (count === 0) return;
      yield buffer.subarray(0, count);
      at += count;
    }
  } finally {
    closeSync(file);
  }
}
