import { createHash } from 'node:crypto';
import type { UnreadInput } from '../../report/report.ts';
import { type CopyCandidate, findGrowingCopies, toCopyCandidate } from '../../session/copies.ts';
import { byName, type RepeatsByName } from '../../session/file-repeats.ts';
import type { PlacedSession } from '../../session/format.ts';
import { loadSessions } from '../../session/load.ts';
import type { SessionPlace } from '../../session/opener.ts';
import { addForks, type RepeatCandidate } from '../../session/repeats.ts';
import type { Session } from '../../session/session.ts';
import type { SessionRef } from '../run/task.ts';
import { groupBy } from '../../session/statistics/group-by.ts';

/** A session that was found, before anything of it is run. */
export interface FoundSession extends RepeatCandidate {
  /** Under the name that the file gives it, not as it is shown. */
  readonly ref: SessionRef;
  /** What sessions that may be copies of one another share; absent where nothing tells. */
  readonly identity?: string;
}

/** What the files of a sweep hold. */
export interface Scan {
  readonly sessions: FoundSession[];
  readonly unread: UnreadInput[];
}

const HASH_LENGTH = 16;

/** Adds what a file holds, session by session. Nothing of it stays in memory. */
export function* scanFile(file: string, { sessions, unread }: Scan): Generator<void, void, void> {
  let index = 0;
  for (const loaded of loadSessions([file])) {
    if (loaded.state === 'unread') unread.push({ file, reason: loaded.reason });
    else sessions.push(toFound(loaded, { file, index: index++ }));
    yield;
  }
}

/** The sessions that others hold, wholly or at their beginning. Only files that share an id of a session are read again. */
export function findRepeatsIn(sessions: readonly FoundSession[]): RepeatsByName {
  const copies = [...groupBy(sessions, ({ identity }) => identity).values()].flatMap((group) =>
    group.length < 2 ? [] : findGrowingCopies(readCandidates(group)),
  );
  return byName(addForks(copies, sessions));
}

function toFound({ session, range }: PlacedSession, place: SessionPlace): FoundSession {
  const { name, sessionId, size, format, isSide, isPartial, marks } = toCopyCandidate(session);
  return {
    name,
    ref: { ...place, ...(range && { range }), name, hash: hashSession(session) },
    size,
    isSide,
    isPartial,
    marks,
    ...(sessionId !== undefined && { identity: JSON.stringify([format, isSide, sessionId]) }),
  };
}

/** Hash of everything but the name, which is a path. */
export function hashSession({ messages, recordedCosts, ...rest }: Session): string {
  const head = { ...rest, name: undefined, recordedCosts: [...(recordedCosts ?? [])] };
  const hash = createHash('sha256').update(JSON.stringify(head));
  for (const message of messages) hash.update(JSON.stringify(message));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

function* readCandidates(group: readonly FoundSession[]): Generator<CopyCandidate, void, void> {
  const names = new Set(group.map(({ ref }) => ref.name));
  for (const loaded of loadSessions(new Set(group.map(({ ref }) => ref.file)))) {
    if (loaded.state === 'unread' || !names.has(loaded.session.name)) continue;
    yield toCopyCandidate(loaded.session);
  }
}
