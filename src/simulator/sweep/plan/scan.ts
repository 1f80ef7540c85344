import { createHash } from 'node:crypto';
import type { UnreadInput } from '../../report/report.ts';
import { type CopyCandidate, toCopyCandidate } from '../../session/repeats/copies.ts';
import type { PlacedSession } from '../../session/format.ts';
import { loadSessions } from '../../session/load.ts';
import type { SessionPlace } from '../../session/files/opener.ts';
import type { ImportReport, Session } from '../../session/session.ts';

/** A session that was found, before anything of it is run. */
export interface FoundSession {
  readonly place: SessionPlace;
  /** Hash of the content. */
  readonly hash: string;
  /** Under the name that the file gives it, not as it is shown. */
  readonly candidate: CopyCandidate;
  /** `provider/model` of its first step that names one; absent where none does. */
  readonly recordedModel?: string;
  /** What could not be read of it. */
  readonly dropped: ImportReport['dropped'];
}

/** What the files of a sweep hold. */
export interface Scan {
  readonly sessions: FoundSession[];
  readonly unread: UnreadInput[];
}

const HASH_LENGTH = 16;

/** Adds what a file holds, session by session. Nothing of it stays in memory, so that whoever runs it reads it again. */
export function* scanFile(file: string, { sessions, unread }: Scan): Generator<void, void, void> {
  let index = 0;
  for (const loaded of loadSessions([file], { pipes: 'refuse' })) {
    if (loaded.state === 'unread') unread.push({ file, reason: loaded.reason });
    else sessions.push(toFound(loaded, { file, index: index++ }));
    yield;
  }
}

/** Hash of everything but the name, which is a path. */
export function hashSession({ messages, recordedCosts, ...rest }: Session): string {
  const head = { ...rest, name: undefined, recordedCosts: [...(recordedCosts ?? [])] };
  const hash = createHash('sha256').update(JSON.stringify(head));
  for (const message of messages) hash.update(JSON.stringify(message));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

function toFound({ session, range }: PlacedSession, place: SessionPlace): FoundSession {
  return {
    place: { ...place, ...(range && { range }) },
    hash: hashSession(session),
    candidate: toCopyCandidate(session),
    // As of ids, a name that was cut out of a text keeps the whole text in memory.
    ...(session.model !== undefined && { recordedModel: structuredClone(session.model) }),
    dropped: session.report.dropped,
  };
}
