import { closeSync, openSync, statSync } from 'node:fs';
import { sum } from '../../lib/collections.ts';
import { decodeText, isMarkedUtf16, openReader, readFrom } from '../../lib/files.ts';
import type { ByteRange, Closing, SourceLine } from '../format.ts';
import * as source from './source-file.ts';

/** The content of an open file; the caller closes it. */
export type FileContent = source.SourceContent & Closing;

/** Files whose content is no text: an SQLite database, a Parquet table, a ZIP archive. */
type PackedKind = keyof typeof SIGNATURES;

interface KeptChunks {
  each(): Generator<Buffer, void, undefined>;
  take(): Generator<Buffer, void, undefined>;
}

const SIGNATURES = {
  database: 'SQLite format 3\0',
  table: 'PAR1',
  archive: 'PK\u0003\u0004',
} as const;
const KINDS = Object.keys(SIGNATURES) as readonly PackedKind[];
const LONGEST = Math.max(...Object.values(SIGNATURES).map(({ length }) => length));
const HEAD_BYTES = 2 ** 26;
const CHUNK_BYTES = 65_536;
const LF = 0x0a;

/** Opens a file, or a range of it, which is kept until its lines are taken. */
export function openContent(path: string, range?: ByteRange): FileContent {
  const chunks = readChunks(path, range);
  const isTooLarge = statSync(path).size > source.MAX_BYTES;
  const kept = keepChunks(chunks, isTooLarge ? HEAD_BYTES : source.MAX_BYTES);
  const startByte = range?.startByte ?? 0;
  let text: string | undefined;
  const readText = () => (text ??= decodeText(joinChunks(kept.take())));
  /** Lines can be split in bytes only if the encoding is UTF-8. */
  const isOneText = () => {
    const [first] = text === undefined ? kept.each() : [];
    return first === undefined || isMarkedUtf16(first);
  };
  const linesOf = (read: () => Iterable<Buffer>, part?: string) =>
    isOneText() ? source.linesIn(readText(), part) : splitLines(read(), startByte, part);
  return {
    readText,
    linesWith: (part) => linesOf(() => kept.each(), part),
    takeLines: () => linesOf(() => kept.take()),
    close: () => {
      chunks.return();
    },
  };
}

/** How a file is packed; `undefined` of a text or pipe. */
export function packedKindOf(path: string): PackedKind | undefined {
  if (!statSync(path).isFile()) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST);
    const count = readFrom(file, bytes, 0);
    const start = bytes.toString('latin1', 0, count);
    return KINDS.find((kind) => start.startsWith(SIGNATURES[kind]));
  } finally {
    closeSync(file);
  }
}

/** Keeps chunks as they are read. Throws above `maxBytes`. */
export function keepChunks(chunks: Iterator<Buffer, void>, maxBytes: number): KeptChunks {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  const keepNext = (): Buffer | undefined => {
    const next = chunks.next();
    if (next.done) return undefined;
    keptBytes += next.value.length;
    source.checkSize(keptBytes, maxBytes);
    kept.push(next.value);
    return next.value;
  };
  return {
    *each() {
      for (let index = 0; ; index++) {
        const chunk = kept[index] ?? keepNext();
        if (chunk === undefined) return;
        yield chunk;
      }
    },
    *take() {
      for (let chunk = kept.shift(); chunk !== undefined; chunk = kept.shift()) yield chunk;
      for (let next = chunks.next(); !next.done; next = chunks.next()) yield next.value;
    },
  };
}

/** The lines of UTF-8 chunks that contain `part`; all lines contain ''. */
export function* splitLines(
  chunks: Iterable<Buffer>,
  firstByte: number,
  part = '',
): Generator<SourceLine, void, undefined> {
  const wanted = Buffer.from(part);
  let startByte = firstByte;
  for (const bytes of splitBytes(chunks, wanted)) {
    // Most lines that nobody wants are not worth a text.
    if (bytes.includes(wanted)) yield { text: toText(bytes, startByte), startByte };
    startByte += bytes.length + 1;
  }
}

/** A mark in the middle is a character. */
function toText(bytes: Buffer, startByte: number): string {
  const text = bytes.toString();
  return startByte === 0 && text.startsWith(source.BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function* readChunks(path: string, range?: ByteRange): Generator<Buffer, void, undefined> {
  const reader = openReader(path);
  try {
    let at = range?.startByte ?? 0;
    const end = range?.endByte ?? Number.POSITIVE_INFINITY;
    while (at < end) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
      const count = reader.read(buffer, range === undefined ? null : at);
      if (count === 0) return;
      yield buffer.subarray(0, count);
      at += count;
    }
  } finally {
    reader.close();
  }
}

/** The bytes of all chunks. Throws where they are too many for a string. */
function joinChunks(chunks: Iterable<Buffer>): Buffer {
  const all: Buffer[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    bytes += chunk.length;
    source.checkSize(bytes);
    all.push(chunk);
  }
  return Buffer.concat(all, bytes);
}

/** Lines of a chunk in which nobody wants any may come as one. */
function* splitBytes(chunks: Iterable<Buffer>, wanted: Buffer): Generator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  for (const chunk of chunks) {
    let start = 0;
    const last = chunk.includes(wanted) ? undefined : chunk.lastIndexOf(LF);
    for (let end = chunk.indexOf(LF); end >= start; end = last ?? chunk.indexOf(LF, start)) {
      const piece = chunk.subarray(start, end);
      yield begun.length === 0 ? piece : Buffer.concat([...begun, piece]);
      begun = [];
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
    source.checkSize(sum(begun.map(({ length }) => length)));
  }
  yield Buffer.concat(begun);
}
