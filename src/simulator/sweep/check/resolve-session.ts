import { HarnessError } from '../../errors.ts';
import { nearestNames, quotedLong } from '../../names.ts';
import { loadSessions } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';

/** A path and the place of a session in it. */
const NAMED_SESSION = /^(?<path>.+)#\d+$/;

/** The recorded session that a path or `path#index` stands for; without an index, the one that is no sub-agent's. */
export function resolveSession(name: string): Session {
  const path = NAMED_SESSION.exec(name)?.groups?.['path'];
  const names: string[] = [];
  const found: Session[] = [];
  for (const session of load(path ?? name)) {
    names.push(session.name);
    const isMeant = path === undefined ? !session.isSide : session.name === name;
    // A second one tells as much as all.
    if (isMeant && found.length < 2) found.push(session);
  }
  const [session, another] = found;
  if (session !== undefined && another === undefined) return session;
  const nearest = nearestNames(name, names).join(', ');
  throw new HarnessError(
    'BAD_SCENARIO',
    `Expected ${quotedLong(name)} to name one of ${names.length} sessions, such as: ${nearest}.`,
  );
}

function* load(path: string): Generator<Session, void, undefined> {
  for (const loaded of loadSessions([path])) {
    if (loaded.state === 'unread') throw new HarnessError('BAD_SCENARIO', loaded.reason);
    yield loaded.session;
  }
}
