import { existsSync } from 'node:fs';
import { HarnessError } from '../simulator/errors.ts';
import { nearestNames, quoted } from '../simulator/names.ts';
import { loadSessions } from '../simulator/session/load.ts';
import type { Session } from '../simulator/session/session.ts';

/** Longest path that a message repeats, in characters. */
const QUOTED_PATH_LENGTH = 200;

/** A path and, where it is followed by one, the place of a session in it. */
const NAMED_SESSION = /^(.+)#\d+$/;

/** The one session that a name stands for: a file with one session, or `path#index`. Throws where there is none. */
export function loadSession(name: string): Session {
  const sessions = loadFile(pathOf(name));
  const found = sessions.length === 1 ? sessions[0] : sessions.find((one) => one.name === name);
  if (found !== undefined && (found.name === name || sessions.length === 1)) return found;
  const names = sessions.map((session) => session.name);
  const nearest = nearestNames(name, names).join(', ');
  throw new HarnessError(
    'NO_INPUT',
    `Expected ${quoted(name, QUOTED_PATH_LENGTH)} to name one of ${sessions.length} sessions, as in: ${nearest}.`,
  );
}

function pathOf(name: string): string {
  if (existsSync(name)) return name;
  return NAMED_SESSION.exec(name)?.[1] ?? name;
}

function loadFile(path: string): readonly Session[] {
  return [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new HarnessError('NO_INPUT', loaded.reason);
  });
}
