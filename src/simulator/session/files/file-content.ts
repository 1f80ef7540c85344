import { statSync } from 'node:fs';
import { decodeText, isMarkedUtf16 } from '../../lib/files.ts';
import type { ByteRange } from '../format.ts';
import { joinChunks, MAX_BYTES } from './join-chunks.ts';
import { keepChunks } from './keep-chunks.ts';
import { readChunks } from './read-chunks.ts';
import { linesIn, type SourceContent } from './source-file.ts';
import { splitLines } from './split-lines.ts';

/** The content of a file that stays open until it is closed. */
export interface FileContent extends SourceContent {
  close(): void;
}

/** How far a file that no text can hold is searched for what needs no whole one. */
const HEAD_BYTES = 2 ** 26;

/**
 * The content of a file, or of a part of it, read once from its beginning, and no further than somebody asks. What was
 * read is kept for whoever asks next, until the lines are taken. Throws the faults of the system.
 */
export function openContent(path: string, range?: ByteRange): FileContent {
  const chunks = readChunks(path, range);
  const kept = keepChunks(chunks, mostKeptBytes(path));
  const startByte = range?.startByte ?? 0;
  let text: string | undefined;
  const readText = () => {
    text ??= decodeText(joinChunks(kept.take()));
    return text;
  };
  /** Bytes end lines of UTF-8 only. */
  const isOneText = () => {
    const [first] = text === undefined ? kept.each() : [];
    return first === undefined || isMarkedUtf16(first);
  };
  const linesOf = (read: () => Iterable<Buffer>, part?: string) =>
    isOneText() ? linesIn(readText(), part) : splitLines(read(), startByte, part);
  return {
    readText,
    linesWith: (part) => linesOf(() => kept.each(), part),
    takeLines: () => linesOf(() => kept.take()),
    close: () => {
      chunks.return();
    },
  };
}

/** Nothing is kept for those who need a whole text where there will be none. */
function mostKeptBytes(path: string): number {
  return statSync(path).size > MAX_BYTES ? HEAD_BYTES : MAX_BYTES;
}
