import { closeSync, openSync, readSync } from 'node:fs';
import { HarnessError } from '../../lib/errors.ts';
import { describeFault, faultCode, isFault } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';

interface Line {
  readonly number: number;
  readonly text: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** True if no line break ends it, as is possible for the last line. */
  readonly isOpen: boolean;
}

export const CHUNK_BYTES = 1 << 20;
export const LINE_BREAK = 10;

/** The lines of a file that end with a line break; what a torn write left behind is none. */
export function* readLines(file: string): Generator<Line, void, void> {
  for (const line of readAllLines(file)) if (!line.isOpen) yield line;
}

/** All lines of a file, the last one maybe open. Throws `HarnessError` where it cannot be read. */
export function* readAllLines(file: string): Generator<Line, void, void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    yield* linesOf(descriptor);
  } catch (error) {
    const isTooLong = faultCode(error) === 'ERR_STRING_TOO_LONG';
    if (!isTooLong && !isFault(error)) throw error;
    const expected = isTooLong
      ? 'to have shorter lines, got one of more than 512 MB'
      : `to be a readable file, got ${describeFault(error)}`;
    const message = `Expected ${quotedLong(file)} ${expected}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A line that is longer than what is read at once is put together when its end has come. */
function* linesOf(descriptor: number): Generator<Line, void, void> {
  let [number, offsetBytes] = [0, 0];
  let pieces: Buffer[] = [];
  for (const chunk of chunksOf(descriptor)) {
    pieces.push(chunk);
    if (!chunk.includes(LINE_BREAK)) continue;
    const data = Buffer.concat(pieces);
    let start = 0;
    for (let end = data.indexOf(LINE_BREAK); end >= 0; end = data.indexOf(LINE_BREAK, start)) {
      number += 1;
      const text = data.toString('utf8', start, end);
      const offset = offsetBytes + start;
      yield { number, text, offsetBytes: offset, lengthBytes: end - start, isOpen: false };
      start = end + 1;
    }
    pieces = [data.subarray(start)];
    offsetBytes += start;
  }
  const rest = Buffer.concat(pieces);
  const text = rest.toString('utf8');
  if (rest.length === 0) return;
  yield { number: number + 1, text, offsetBytes, lengthBytes: rest.length, isOpen: true };
}

function* chunksOf(descriptor: number): Generator<Buffer, void, void> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (bytes === 0) return;
    yield chunk.subarray(0, bytes);
  }
}
