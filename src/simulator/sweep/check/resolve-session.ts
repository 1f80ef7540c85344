import { HarnessError } from '../../errors.ts';
import { nearestNames, quotedLong } from '../../names.ts';
import { loadSessions } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';

/** A path and the place of a session in it. */
const NAMED_SESSION = /^(?<path>.+)#\d+$/;

/** The recorded session that a path or `path#index` stands for; without an index, the one that is no sub-agent's. */
export function resolveSession(name: string): Session {
  const path = NAMED_SESSION.exec(name)?.groups?.['path'];
  const sessions = load(path ?? name);
  const found = sessions.filter((session) =>
    path === undefined ? !session.isSide : session.name === name,
  );
  const [session, another] = found;
  if (session !== undefined && another === undefined) return session;
  const names = sessions.map((candidate) => candidate.name);
  const nearest = nearestNames(name, names).join(', ');
  throw new HarnessError(
    'BAD_SCENARIO',
    `Expected ${quotedLong(name)} to name one of ${sessions.length} sessions, as in: ${nearest}.`,
  );
}

function load(path: string): readonly Session[] {
  return [...loadSessions([path])].map((loaded) => {
    if (loaded.state === 'read') return loaded.session;
    throw new HarnessError('BAD_SCENARIO', loaded.reason);
  });
}
