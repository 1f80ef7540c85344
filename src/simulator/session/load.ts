import { statSync } from 'node:fs';
import { quotedLong } from '../lib/names.ts';
import { type FileContent, openContent } from './files/file-content.ts';
import { createSourceFile } from './files/source-file.ts';
import { surroundingsOf } from './files/surroundings.ts';
import type { ByteRange } from './format.ts';
import type { FormatName } from './formats.ts';
import { type ReadSession, readSourceFile } from './read.ts';
import { unreadReason } from './unread-reason.ts';

/** One session of a file, or why the file gave none, or no more than those before. */
export type LoadedSession =
  | ({ readonly state: 'read' } & ReadSession)
  | { readonly state: 'unread'; readonly file: string; readonly reason: string };

/** How files are read. */
export interface LoadOptions {
  /** The format of all; each tells its own by default. */
  readonly from?: FormatName | undefined;
  /** The part of each that is read; all of it by default. */
  readonly range?: ByteRange | undefined;
  /** What becomes of pipes, which can be read once only: by default they are read, else left to somebody else, or unread. */
  readonly pipes?: 'read' | 'leave' | 'refuse' | undefined;
}

/**
 * The sessions of the files in order. A file is read when its turn comes, and no further than its sessions are asked
 * for where its format allows; one that cannot be read does not stop the rest.
 */
export function* loadSessions(
  paths: Iterable<string>,
  options: LoadOptions = {},
): Generator<LoadedSession, void, undefined> {
  for (const path of paths) yield* loadFile(path, options);
}

function* loadFile(
  path: string,
  { from, range, pipes = 'read' }: LoadOptions,
): Generator<LoadedSession, void, undefined> {
  let content: FileContent | undefined;
  try {
    if (pipes !== 'read' && isPipe(path)) {
      if (pipes === 'refuse') yield { state: 'unread', file: path, reason: noFile(path) };
      return;
    }
    content = openContent(path, range);
    const file = createSourceFile(path, content, surroundingsOf(path));
    for (const read of readSourceFile(file, from)) yield { state: 'read', ...read };
  } catch (error) {
    yield { state: 'unread', file: path, reason: unreadReason(error, path) };
  } finally {
    content?.close();
  }
}

/** Whether a path gives what it holds once only, as devices do too. */
function isPipe(path: string): boolean {
  const stats = statSync(path);
  return !stats.isFile() && !stats.isDirectory();
}

function noFile(path: string): string {
  return `Expected ${quotedLong(path)} to be a file, which can be read again, got a pipe or a device; save what it gives in a file.`;
}
