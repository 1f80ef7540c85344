import { readFileSync } from 'node:fs';
import { HarnessError } from '../errors.ts';
import { quote } from './describe-content.ts';
import { readSessions } from './read.ts';
import type { Session } from './session.ts';
import { decodeText } from './source-file.ts';

/** One session of a file, or why the file gave none. */
export type LoadedSession =
  | { readonly state: 'read'; readonly session: Session }
  | { readonly state: 'unread'; readonly file: string; readonly reason: string };

/** The sessions of the files in order. A file is read when its turn comes; one that cannot be read does not stop the rest. */
export function* loadSessions(paths: Iterable<string>): Generator<LoadedSession, void, undefined> {
  for (const path of paths) yield* loadFile(path);
}

function loadFile(path: string): readonly LoadedSession[] {
  try {
    const sessions = readSessions(path, decodeText(readFileSync(path)));
    return sessions.map((session) => ({ state: 'read', session }));
  } catch (error) {
    return [{ state: 'unread', file: path, reason: reasonOf(error, path) }];
  }
}

/** What is no fault of the file is thrown on. */
function reasonOf(error: unknown, path: string): string {
  if (error instanceof HarnessError) return error.message;
  if (error instanceof Error && 'code' in error) {
    return `Expected to read ${quote(path)}, got ${String(error.code)}.`;
  }
  throw error;
}
