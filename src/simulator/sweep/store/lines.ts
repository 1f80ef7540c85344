import { closeSync, openSync, readSync } from 'node:fs';

/** A line of a file, with where it stands. */
export interface Line {
  readonly text: string;
  /** In bytes. */
  readonly offset: number;
  /** In bytes, without its line break. */
  readonly length: number;
  /** Whether no line break ends it, as may be with the last one. */
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

/** The lines of a file, with what stands behind the last line break. */
export function* readAllLines(file: string): Generator<Line, void, void> {
  const descriptor = openSync(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    let offset = 0;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const bytes = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (bytes === 0) break;
      const data = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      const used = yield* linesOf(data, offset);
      rest = data.subarray(used);
      offset += used;
    }
    const { length } = rest;
    if (length > 0) yield { text: rest.toString('utf8'), offset, length, isOpen: true };
  } finally {
    closeSync(descriptor);
  }
}

/** Gives how many bytes the whole lines took. */
function* linesOf(data: Buffer, offset: number): Generator<Line, number, void> {
  let start = 0;
  for (;;) {
    const end = data.indexOf(LINE_BREAK, start);
    if (end < 0) return start;
    const text = data.toString('utf8', start, end);
    yield { text, offset: offset + start, length: end - start, isOpen: false };
    start = end + 1;
  }
}
