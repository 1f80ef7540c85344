import type { SourceLine } from './format.ts';
import { BYTE_ORDER_MARK } from './source-file.ts';
import { checkSize } from './join-chunks.ts';

const LINE_END = 0x0a;

/** The lines of UTF-8 that comes in chunks. Throws where one of them is more than a text can hold. */
export function* splitLines(
  chunks: Iterable<Uint8Array>,
  firstByte: number,
): Generator<SourceLine, void, undefined> {
  // A mark in the middle is a character.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let startByte = firstByte;
  for (const bytes of splitBytes(chunks)) {
    const text = decoder.decode(bytes);
    const isMarked = startByte === 0 && text.startsWith(BYTE_ORDER_MARK);
    yield { text: isMarked ? text.slice(1) : text, startByte };
    startByte += bytes.length + 1;
  }
}

function* splitBytes(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  let begun: Uint8Array[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      const piece = chunk.subarray(start, end);
      yield begun.length === 0 ? piece : Buffer.concat([...begun, piece]);
      begun = [];
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
    checkSize(sizeOf(begun));
  }
  yield Buffer.concat(begun);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
