/** Short names of session files, by which people find them again on the same machine. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { HarnessError } from '../../lib/errors.ts';
import { quotedLong } from '../../lib/names.ts';
import { parseSessionName } from '../session.ts';

const LEAST_DIGITS = 4;
/** Many agents name a recording after the id of its session. */
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;
const SHORT_ID = /^[\da-f]{4,}$/i;
const MOST_NAMED = 3;

/** The shortest start of one of a session's ids that no other file shares, with its index; the same below any home. */
export function shortIdOf(session: string, files: readonly string[], home: string = ''): string {
  const idsOf = idsBelow(home);
  const { path, index } = files.includes(session)
    ? { path: session, index: undefined }
    : parseSessionName(session);
  const others = files.filter((file) => file !== path).flatMap(idsOf);
  const [start = ''] = idsOf(path)
    .map((id) => uniqueStart(id, others))
    .toSorted((one, other) => one.length - other.length);
  return index === undefined ? start : `${start}#${index}`;
}

/** Tests if a name may be the start of an id, with or without an index. */
export function isShortId(name: string): boolean {
  return SHORT_ID.test(digitsOf(parseSessionName(name).path));
}

/** The session whose id begins so. Throws `HarnessError` for none and for several. */
export function findByShortId(name: string, files: readonly string[], home: string = ''): string {
  const idsOf = idsBelow(home);
  const { path: start, index } = parseSessionName(name);
  const found = files.filter((file) => idsOf(file).some((id) => id.startsWith(digitsOf(start))));
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0)
    return index === undefined ? only : `${only}#${index}`;
  const expected = `Expected ${quotedLong(name)} to be ${describe(found, files)}`;
  throw new HarnessError('NO_INPUT', expected);
}

function describe(found: readonly string[], files: readonly string[]): string {
  if (found.length === 0)
    return `a file or the start of the id of a session on this machine, got neither among ${files.length} files where agents keep them.`;
  const named = found.slice(0, MOST_NAMED).map((file) => quotedLong(file));
  const others = found.length - named.length;
  const all = [...named, ...(others > 0 ? [`${others} more`] : [])];
  return `the start of one id, got that of ${found.length}: ${all.join(', ')}; more of it tells which.`;
}

function idsBelow(home: string) {
  return (path: string): readonly string[] => {
    const [uuid] = UUID.exec(basename(path)) ?? [];
    const named = home !== '' && path.startsWith(home) ? `~${path.slice(home.length)}` : path;
    const hash = createHash('sha256').update(named).digest('hex');
    return uuid === undefined ? [hash] : [digitsOf(uuid), hash];
  };
}

function uniqueStart(id: string, others: readonly string[]): string {
  let digits = LEAST_DIGITS;
  while (digits < id.length && others.some((other) => other.startsWith(id.slice(0, digits))))
    digits += 1;
  return id.slice(0, digits);
}

function digitsOf(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}
