import type { Session } from './session.ts';

/** What tells whether one session is an earlier state of another. */
export interface CopyCandidate {
  readonly name: string;
  readonly format: string;
  readonly sessionId?: string;
  readonly isSide: boolean;
  readonly messageIds: readonly string[];
}

/** A session whose messages are all at the start of a longer one. */
export interface GrowingCopy {
  readonly name: string;
  /** The longest session that begins with the same messages. */
  readonly copyOf: string;
}

/** The little of a session that `findGrowingCopies` needs. */
export function toCopyCandidate(session: Session): CopyCandidate {
  const { name, format, sessionId, isSide } = session;
  const messageIds = session.messages.map((message) => message.id);
  return { name, format, isSide, messageIds, ...(sessionId !== undefined && { sessionId }) };
}

/** The sessions that another one of the same recorder id continues. Of equal ones, the first is no copy. */
export function findGrowingCopies(sessions: Iterable<CopyCandidate>): readonly GrowingCopy[] {
  return [...groupByIdentity(sessions).values()].flatMap(findCopiesIn);
}

function groupByIdentity(sessions: Iterable<CopyCandidate>): Map<string, CopyCandidate[]> {
  const groups = new Map<string, CopyCandidate[]>();
  for (const session of sessions) {
    if (session.sessionId === undefined) continue;
    const key = JSON.stringify([session.format, session.isSide, session.sessionId]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  return groups;
}

function findCopiesIn(group: readonly CopyCandidate[]): readonly GrowingCopy[] {
  const longestFirst = group.toSorted((a, b) => b.messageIds.length - a.messageIds.length);
  return longestFirst.flatMap((session, index) => {
    const longer = longestFirst.slice(0, index).find((other) => isStartOf(session, other));
    return longer === undefined ? [] : [{ name: session.name, copyOf: longer.name }];
  });
}

function isStartOf(shorter: CopyCandidate, longer: CopyCandidate): boolean {
  return shorter.messageIds.every((id, index) => id === longer.messageIds[index]);
}
