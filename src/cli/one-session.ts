import { existsSync } from 'node:fs';
import { HarnessError } from '../simulator/errors.ts';
import { nearestNames, quotedLong } from '../simulator/names.ts';
import { countOf } from '../simulator/report/numbers.ts';
import { loadSessions } from '../simulator/session/load.ts';
import type { Session } from '../simulator/session/session.ts';

/** A path and, where it is followed by one, the place of a session in it. */
const NAMED_SESSION = /^(.+)#(\d+)$/;

/** A name that a file may have, and the place that it asks for there. */
interface NamedPlace {
  readonly path: string;
  readonly index: number;
}

/** The one session that a name stands for: a file with one session, or `path#index`. Throws where there is none. */
export function loadSession(name: string): Session {
  const { path, index } = placeOf(name);
  const names: string[] = [];
  let first: Session | undefined;
  for (const loaded of loadSessions([path])) {
    if (loaded.state === 'unread') throw new HarnessError('NO_INPUT', loaded.reason);
    const { session } = loaded;
    if (session.name === name) return session;
    first ??= session;
    names.push(session.name);
  }
  if (first !== undefined && names.length === 1 && index === 0) return first;
  const nearest = nearestNames(name, names).join(', ');
  throw new HarnessError(
    'NO_INPUT',
    `Expected ${quotedLong(name)} to name one of ${countOf(names.length, 'session')}, such as: ${nearest}.`,
  );
}

function placeOf(name: string): NamedPlace {
  const [, path, index] = (existsSync(name) ? null : NAMED_SESSION.exec(name)) ?? [];
  return { path: path ?? name, index: Number(index ?? 0) };
}
