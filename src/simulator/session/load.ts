import { readFileSync } from 'node:fs';
import type { FormatName } from './formats.ts';
import { type ReadSession, readSourceFile } from './read.ts';
import { createSourceFile, decodeText } from './source-file.ts';
import { surroundingsOf } from './surroundings.ts';
import { unreadReason } from './unread-reason.ts';

/** One session of a file, or why the file gave none, or no more than those before. */
export type LoadedSession =
  | ({ readonly state: 'read' } & ReadSession)
  | { readonly state: 'unread'; readonly file: string; readonly reason: string };

/**
 * The sessions of the files in order, read as that format where one is given. A file is read when its turn comes; one
 * that cannot be read does not stop the rest.
 */
export function* loadSessions(
  paths: Iterable<string>,
  from?: FormatName,
): Generator<LoadedSession, void, undefined> {
  for (const path of paths) yield* loadFile(path, from);
}

function* loadFile(path: string, from?: FormatName): Generator<LoadedSession, void, undefined> {
  try {
    const text = decodeText(readFileSync(path));
    const file = createSourceFile(path, text, surroundingsOf(path));
    for (const read of readSourceFile(file, from)) yield { state: 'read', ...read };
  } catch (error) {
    yield { state: 'unread', file: path, reason: unreadReason(error, path) };
  }
}
