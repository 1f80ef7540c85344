import type { Session } from './session.ts';

/** Where a session stands among those of its file. */
export interface Place {
  readonly index: number;
  readonly count: number;
}

/** The name of a session: the path of its file, with its place where the file holds several. */
export function sessionName(path: string, { index, count }: Place): string {
  return count > 1 ? `${path}#${index}` : path;
}

/** All sessions of a file with their names. */
export function withNames(
  path: string,
  sessions: readonly Omit<Session, 'name'>[],
): readonly Session[] {
  const { length: count } = sessions;
  return sessions.map((session, index) => ({
    name: sessionName(path, { index, count }),
    ...session,
  }));
}
