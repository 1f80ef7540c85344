import { z } from 'zod';
import { isObject, parseJson } from '../../lib/json.ts';
import { endOfValue } from '../files/json-text.ts';
import type { SourceFile } from '../format.ts';
import type { StoredSession } from '../opencode/session.ts';

/** What a file holds. */
export interface ExportFile {
  /** In the order in which they stand there. */
  readonly exports: readonly StoredSession[];
  /** Lines of something else, blank ones left out. */
  readonly otherLines: number;
}

interface FoundExport {
  readonly session: StoredSession;
  readonly start: number;
  readonly end: number;
}

const exportSchema = z.object({
  info: z.record(z.string(), z.unknown()),
  messages: z.array(z.unknown()),
});

/** How many braces may stand in log lines before an export without being closed. */
const MAX_FALSE_STARTS = 16;

/** Whether a file holds an export, also among lines of a log. */
export function hasExport(file: SourceFile): boolean {
  const document = file.json();
  if (document !== undefined) return toExport(document) !== undefined;
  return searchExports(file.text).next().done !== true;
}

/** All exports that a file holds, also those among lines of a log. */
export function findExports(file: SourceFile): ExportFile {
  const document = file.json();
  if (document !== undefined) {
    const session = toExport(document);
    return { exports: session === undefined ? [] : [session], otherLines: 0 };
  }
  const found = [...searchExports(file.text)];
  return {
    exports: found.map(({ session }) => session),
    otherLines: countOtherLines(file.text, found),
  };
}

function* searchExports(text: string): Generator<FoundExport, void, void> {
  if (!text.includes('"messages"') || !text.includes('"parts"')) return;
  let falseStarts = 0;
  let start = text.indexOf('{');
  while (start !== -1 && falseStarts < MAX_FALSE_STARTS) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    const session = toExport(value);
    if (session !== undefined) yield { session, start, end };
    if (session !== undefined) falseStarts = 0;
    else if (value === undefined) falseStarts++;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
}

function countOtherLines(text: string, found: readonly FoundExport[]): number {
  const ends = [0, ...found.map(({ end }) => end)];
  const gaps = ends.map((end, index) => text.slice(end, found[index]?.start));
  return gaps.flatMap((gap) => gap.split('\n')).filter((line) => line.trim() !== '').length;
}

/** Messages of that shape tell the export from documents of others that also have `info` and `messages`. */
function toExport(value: unknown): StoredSession | undefined {
  const document = exportSchema.safeParse(value).data;
  if (document === undefined) return undefined;
  const { info, messages } = document;
  const isOwn = messages.length === 0 ? typeof info['id'] === 'string' : messages.some(isMessage);
  return isOwn ? document : undefined;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && isObject(value['info']) && Array.isArray(value['parts']);
}
