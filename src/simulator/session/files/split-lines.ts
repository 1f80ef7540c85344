import type { SourceLine } from '../format.ts';
import { BYTE_ORDER_MARK } from './source-file.ts';
import { checkSize } from './join-chunks.ts';

const LINE_END = 0x0a;

/** The lines of UTF-8 in chunks that have a part in them; every line has nothing. Throws where one is more than a text can hold. */
export function* splitLines(
  chunks: Iterable<Buffer>,
  firstByte: number,
  part = '',
): Generator<SourceLine, void, undefined> {
  // A mark in the middle is a character.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const toText = (bytes: Buffer, at: number) => {
    const text = decoder.decode(bytes);
    return at === 0 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  };
  const wanted = Buffer.from(part);
  let startByte = firstByte;
  for (const bytes of splitBytes(chunks)) {
    // Most lines that nobody wants are not worth a text.
    if (bytes.includes(wanted)) yield { text: toText(bytes, startByte), startByte };
    startByte += bytes.length + 1;
  }
}

function* splitBytes(chunks: Iterable<Buffer>): Generator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
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
