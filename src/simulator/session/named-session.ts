import { existsSync } from 'node:fs';
import { HarnessError } from '../lib/errors.ts';
import { nearestNames, quotedLong } from '../lib/names.ts';
import { type LoadedSession, loadSessions } from './load.ts';
import { type NamedPlace, parseSessionName } from './session-name.ts';
import type { Session } from './session.ts';

/**
 * The one session that a name stands for. `path#index` is the session at that place, unless a file has all of this as
 * its name. A path alone is the only session of its file, or of several the only one that is no sub-agent's.
 */
export function openNamed(name: string): LoadedSession {
  const { path, index }: NamedPlace = existsSync(name) ? { path: name } : parseSessionName(name);
  const ownNames = index === '0' ? [name, path] : [name];
  const names: string[] = [];
  const main: LoadedSession[] = [];
  for (const loaded of loadSessions([path])) {
    if (loaded.state === 'unread' || ownNames.includes(loaded.session.name)) return loaded;
    names.push(loaded.session.name);
    // A second one tells as much as all.
    if (!loaded.session.isSide && main.length < 2) main.push(loaded);
  }
  const [only, another] = main;
  if (index === undefined && only !== undefined && another === undefined) return only;
  const last = index === undefined ? undefined : names.at(-1);
  return { state: 'unread', file: path, reason: namesNone(name, names, last) };
}

/** The one session that a name stands for. Throws a `HarnessError` where it stands for none. */
export function loadNamed(name: string): Session {
  const opened = openNamed(name);
  if (opened.state === 'read') return opened.session;
  throw new HarnessError('NO_INPUT', opened.reason);
}

function namesNone(name: string, names: readonly string[], last: string | undefined): string {
  const count = names.length === 1 ? '1 session' : `${names.length} sessions`;
  const nearest = nearestNames(name, names);
  const end = last === undefined || nearest.includes(last) ? '' : `; the last is ${last}`;
  return `Expected ${quotedLong(name)} to name one of ${count}, such as: ${nearest.join(', ')}${end}.`;
}
