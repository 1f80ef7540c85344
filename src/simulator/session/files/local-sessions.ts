import { HarnessError, unlessWrongInput } from '../../lib/errors.ts';
import { statOf } from '../../lib/files.ts';
import { discoverSessionFiles } from './discover.ts';
import { kindOf } from './folder.ts';
import type { SessionPlace } from './places.ts';

/** Session files of agents on this machine, and what cannot be read among them. */
interface LocalSessions {
  readonly agents: readonly { readonly agent: string; readonly files: readonly string[] }[];
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
}

/** The end of the name of a file beside a database, where its writes lie at first. */
const WRITE_AHEAD = '-wal';

/** The session files in these places that were changed since a time in ms; agents without any are left out. */
export function findLocalSessions(places: readonly SessionPlace[], sinceMs: number): LocalSessions {
  const unread: { file: string; reason: string }[] = [];
  const seen = new Set<string>();
  const agents = places.map(({ agent, paths }) => {
    const found = paths.filter((path) => kindOf(path) !== undefined).map(search);
    unread.push(...found.flatMap(({ unread: one }) => one));
    const files = found.flatMap(({ files: some }) => some).filter((file) => !seen.has(file));
    for (const file of files) seen.add(file);
    return { agent, files: files.filter((file) => changedMs(file) >= sinceMs) };
  });
  return { agents: agents.filter(({ files }) => files.length > 0), unread };
}

function search(path: string) {
  const found = unlessWrongInput(() => discoverSessionFiles([path]));
  if (!(found instanceof HarnessError)) {
    const unread = found.unread.map((one) => ({ file: one.path, reason: one.reason }));
    return { files: found.files, unread };
  }
  const isEmpty = found.code === 'NO_INPUT';
  return { files: [], unread: isEmpty ? [] : [{ file: path, reason: found.message }] };
}

function changedMs(file: string): number {
  const own = statOf(file)?.mtimeMs ?? 0;
  return Math.max(own, statOf(`${file}${WRITE_AHEAD}`)?.mtimeMs ?? 0);
}
