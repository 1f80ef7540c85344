import { closeSync, openSync, readSync } from 'node:fs';
import { HarnessError } from '../../lib/errors.ts';
import { describeFault, faultCode, isFault } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';

/** A line of a file, with where it stands. */
interface Line extends Piece {
  /** From 1. */
  readonly number: number;
}

/** A line as it is cut out of what is read. */
interface Piece {
  readonly text: string;
  readonly offsetBytes: number;
  /** Without its line break. */
  readonly lengthBytes: number;
  /** True if no line break ends it, as is possible for the last line. */
  readonly isOpen: boolean;
}

/** Bytes that are read or written at once. */
export const CHUNK_BYTES = 1 << 20;
/** The byte that ends a line. */
export const LINE_BREAK = 10;

/** The lines of a file that end with a line break; what a torn write left behind is none. */
export function* readLines(file: string): Generator<Line, void, void> {
  for (const line of readAllLines(file)) if (!line.isOpen) yield line;
}

/**
 * The lines of a file, with what stands behind the last line break. Throws `HarnessError` where the system does not let
 * it be read, and at a line that no text can hold.
 */
export function* readAllLines(file: string): Generator<Line, void, void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    let number = 0;
    for (const piece of readFrom(descriptor)) {
      number += 1;
      yield { ...piece, number };
    }
  } catch (error) {
    throw toReadError(file, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function toReadError(file: string, cause: unknown): unknown {
  const isTooLong = faultCode(cause) === 'ERR_STRING_TOO_LONG';
  if (!isTooLong && !isFault(cause)) return cause;
  const expected = isTooLong
    ? 'to have shorter lines, got one of more than 512 MB'
    : `to be a readable file, got ${describeFault(cause)}`;
  return new HarnessError('UNREADABLE', `Expected ${quotedLong(file)} ${expected}.`, { cause });
}

/** A line that is longer than what is read at once is put together when its end has come. */
function* readFrom(descriptor: number): Generator<Piece, void, void> {
  let pieces: Buffer[] = [];
  let offsetBytes = 0;
  for (const chunk of chunksOf(descriptor)) {
    pieces.push(chunk);
    if (!chunk.includes(LINE_BREAK)) continue;
    const data = Buffer.concat(pieces);
    const used = yield* linesOf(data, offsetBytes);
    pieces = [data.subarray(used)];
    offsetBytes += used;
  }
  const rest = Buffer.concat(pieces);
  const lengthBytes = rest.length;
  if (lengthBytes > 0)
    yield { text: rest.toString('utf8'), offsetBytes, lengthBytes, isOpen: true };
}

function* chunksOf(descriptor: number): Generator<Buffer, void, void> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (bytes === 0) return;
    yield chunk.subarray(0, bytes);
  }
}

/** Gives how many bytes the whole lines took. */
function* linesOf(data: Buffer, offsetBytes: number): Generator<Piece, number, void> {
  let start = 0;
  for (;;) {
    const end = data.indexOf(LINE_BREAK, start);
    if (end < 0) return start;
    const text = data.toString('utf8', start, end);
    yield {
      text,
      offsetBytes: offsetBytes + start,
      lengthBytes: end - start,
      isOpen: false,
    };
    start = end + 1;
  }
}
