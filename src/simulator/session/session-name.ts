import type { Session } from './session.ts';

/** Where a session stands among those of its file. */
export interface Place {
  readonly index: number;
  readonly count: number;
}

/** What a name of a session says. */
export interface NamedPlace {
  readonly path: string;
  /** Absent where the name is that of a file alone. */
  readonly index?: string | undefined;
}

/** A path and, behind it, the place of a session in its file. */
const WITH_PLACE = /^(?<path>.+)#(?<index>\d+)$/;

/** The name of a session: the path of its file, with its place where the file holds several. */
export function sessionName(path: string, { index, count }: Place): string {
  return count > 1 ? `${path}#${index}` : path;
}

/** The path of a file in the name of a session, and its place where one is told. */
export function parseSessionName(name: string): NamedPlace {
  const { path = name, index } = WITH_PLACE.exec(name)?.groups ?? {};
  return { path, index };
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
