import { groupBy } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import type { Session } from '../session.ts';
import { markMessages, sizeOf, toMark } from './marks.ts';
import type { MarkedSession } from './shared-beginnings.ts';

/** What tells whether one session is an earlier state of another. */
export interface CopyCandidate extends MarkedSession {
  readonly format: string;
  readonly sessionId?: string;
  readonly isSide: boolean;
  /** A number for the id of each message. */
  readonly idMarks: Float64Array;
}

/** A session whose messages are all at the start of a longer one. */
export interface GrowingCopy {
  readonly name: string;
  /** The longest session that begins with the same messages. */
  readonly copyOf: string;
  /** Whether it holds less than the other one; else both hold the same. */
  readonly isShorter: boolean;
}

/** The little of a session that `findGrowingCopies` needs; nothing of it keeps the session in memory. */
export function toCopyCandidate(session: Session): CopyCandidate {
  const { name, format, isSide, isPartial } = session;
  // An id that was cut out of a text keeps the whole text in memory; a clone does not.
  const sessionId = structuredClone(session.sessionId);
  const size = session.messages
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + sizeOf(part), 0);
  return {
    name,
    format,
    isSide,
    isPartial,
    idMarks: Float64Array.from(session.messages, ({ id }) => toMark(id)),
    marks: markMessages(session),
    size,
    ...(sessionId !== undefined && { sessionId }),
  };
}

/** The sessions that another one of the same recorder id continues. Of equal ones, the first by name is no copy. */
export function findGrowingCopies(sessions: readonly CopyCandidate[]): readonly GrowingCopy[] {
  return [...groupByIdentity(sessions).values()].flatMap(findCopiesIn);
}

/** Why a copy is not used, with the session that is as it is shown. */
export function describeCopy(
  { copyOf, isShorter }: GrowingCopy,
  nameOf: (name: string) => string = (name) => name,
): string {
  return `${isShorter ? 'a shorter copy' : 'a copy'} of ${nameOf(copyOf)}`;
}

function groupByIdentity(
  sessions: readonly CopyCandidate[],
): ReadonlyMap<string, readonly CopyCandidate[]> {
  return groupBy(sessions, ({ format, isSide, sessionId }) =>
    sessionId === undefined ? undefined : JSON.stringify([format, isSide, sessionId]),
  );
}

function findCopiesIn(group: readonly CopyCandidate[]): readonly GrowingCopy[] {
  const longestFirst = group.toSorted(
    (a, b) =>
      b.idMarks.length - a.idMarks.length || b.size - a.size || compareTexts(a.name, b.name),
  );
  return longestFirst.flatMap((session, index) => {
    const longer = longestFirst.slice(0, index).find((other) => isStartOf(session, other));
    if (longer === undefined) return [];
    const isShorter = session.size < longer.size;
    return [{ name: session.name, copyOf: longer.name, isShorter }];
  });
}

function isStartOf(shorter: CopyCandidate, longer: CopyCandidate): boolean {
  return shorter.idMarks.every((mark, index) => mark === longer.idMarks[index]);
}
