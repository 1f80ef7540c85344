import { groupBy } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import type { Marks } from './marks.ts';

/** What tells whether a session begins with messages of another one. */
export interface MarkedSession {
  readonly name: string;
  /** What lies before its first message is absent, and that message may hold a summary of it. */
  readonly isPartial: boolean;
  readonly marks: Marks;
  /** Characters of everything in it: of two that hold the same messages, the larger one goes on further. */
  readonly size: number;
}

/** A session that was forked from another one, or resumed under a new id: its first messages are copies. */
export interface SharedBeginning {
  readonly name: string;
  /** The session that these messages are counted in. */
  readonly sharedWith: string;
  /** How many of its messages, from the first. */
  readonly messages: number;
}

/** Where a session may be found in another one: all of it, or, behind a summary, from its second message. */
interface Start {
  readonly session: MarkedSession;
  readonly index: number;
  readonly rank: number;
  /** How far the best match goes, and where it was found. */
  end: number;
  sharedWith: string | undefined;
}

/** A session that others may begin with messages of. */
interface Holder {
  readonly session: MarkedSession;
  readonly rank: number;
}

/**
 * The sessions that begin with messages of another one, whatever their order. Of several with one beginning the longest
 * holds it; a session that goes on from the middle of another one begins with copies, however long it is.
 */
export function findSharedBeginnings(
  sessions: readonly MarkedSession[],
): readonly SharedBeginning[] {
  const ranked = sessions
    .toSorted(compareRanks)
    .map((session, rank): Holder => ({ session, rank }));
  const starts = ranked.flatMap(startsOf);
  const byAnswer = groupBy(starts, (start) => start.session.marks.ofMessages[answerOf(start)]);
  for (const holder of ranked) matchStarts(holder, byAnswer);
  const found = groupBy(
    starts.filter(({ sharedWith }) => sharedWith),
    ({ session }) => session,
  );
  return [...found.values()].flatMap(toBeginning);
}

/** How many of its messages a session may be said to begin at. */
export function countStarts({ isPartial }: Pick<MarkedSession, 'isPartial'>): number {
  return isPartial ? 2 : 1;
}

function compareRanks(a: MarkedSession, b: MarkedSession): number {
  const byLength = b.marks.ofMessages.length - a.marks.ofMessages.length;
  return byLength || b.size - a.size || compareTexts(a.name, b.name);
}

function startsOf({ session, rank }: Holder): readonly Start[] {
  if (!Number.isFinite(session.marks.least)) return [];
  return Array.from({ length: countStarts(session) }, (_, index) => {
    return { session, index, rank, end: index, sharedWith: undefined };
  });
}

/** The message that has to be found at least: thousands of sessions may begin with one prompt, none has the same answer. */
function answerOf({ session, index }: Start): number {
  return Math.max(session.marks.least - 1, index);
}

function matchStarts(holder: Holder, byAnswer: ReadonlyMap<number, readonly Start[]>): void {
  const starts = countStarts(holder.session);
  for (const [answer, mark] of holder.session.marks.ofMessages.entries()) {
    for (const start of byAnswer.get(mark) ?? []) {
      const position = answer - answerOf(start) + start.index;
      if (position < 0) continue;
      // Where both begin here, the one that ranks first holds it.
      const isHolder = position < starts ? start.rank > holder.rank : start.rank !== holder.rank;
      if (isHolder) matchStart(start, holder.session, position);
    }
  }
}

function matchStart(start: Start, { name, marks }: MarkedSession, position: number): void {
  const own = start.session.marks.ofMessages;
  const other = marks.ofMessages;
  const offset = position - start.index;
  // What goes no further than the best is no better; looked at first, for a family of forks is compared in pairs.
  if (start.end === own.length || own[start.end] !== other[start.end + offset]) return;
  let end = start.index;
  while (end < own.length && own[end] === other[end + offset]) end += 1;
  if (end < start.session.marks.least || end <= start.end) return;
  start.end = end;
  start.sharedWith = name;
}

/** What the start that goes further came to. */
function toBeginning(starts: readonly Start[]): readonly SharedBeginning[] {
  const [best] = starts.toSorted((a, b) => b.end - a.end);
  if (best?.sharedWith === undefined) return [];
  const { session, sharedWith, end } = best;
  return [{ name: session.name, sharedWith, messages: end }];
}
