import { readFileSync } from 'node:fs';
import type { FormatName } from './formats.ts';
import { type ReadFile, readSourceFile } from './read.ts';
import type { Session } from './session.ts';
import { createSourceFile, decodeText } from './source-file.ts';
import { surroundingsOf } from './surroundings.ts';
import { unreadReason } from './unread-reason.ts';

/** One session of a file, or why the file gave none. */
export type LoadedSession =
  | { readonly state: 'read'; readonly session: Session }
  | { readonly state: 'unread'; readonly file: string; readonly reason: string };

/** What a file holds, or why it gave nothing. */
export type LoadedFile =
  | ({ readonly state: 'read' } & ReadFile)
  | { readonly state: 'unread'; readonly reason: string };

/** The sessions of the files in order. A file is read when its turn comes; one that cannot be read does not stop the rest. */
export function* loadSessions(paths: Iterable<string>): Generator<LoadedSession, void, undefined> {
  for (const path of paths) {
    const loaded = loadFile(path);
    if (loaded.state === 'unread') yield { ...loaded, file: path };
    else for (const session of loaded.sessions) yield { state: 'read', session };
  }
}

/** A file, read as that format where one is given. */
export function loadFile(path: string, from?: FormatName): LoadedFile {
  try {
    const text = decodeText(readFileSync(path));
    return {
      state: 'read',
      ...readSourceFile(createSourceFile(path, text, surroundingsOf(path)), from),
    };
  } catch (error) {
    return { state: 'unread', reason: unreadReason(error, path) };
  }
}
