import { compareTexts } from '../compare-texts.ts';
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
}

/**
 * The sessions that begin with messages of another one, whatever their order. Of several with one beginning the longest
 * holds it; a session that goes on from the middle of another one begins with copies, however long it is.
 */
export function findSharedBeginnings(
  sessions: readonly MarkedSession[],
): readonly SharedBeginning[] {
  const ranked = sessions.toSorted(compareRanks);
  const found = new Map<MarkedSession, SharedBeginning>();
  const starts = collectStarts(ranked);
  const earlier = new Set<MarkedSession>();
  for (const holder of ranked) {
    earlier.add(holder);
    for (const { position, ...start } of startsIn(holder, starts)) {
      // Where both begin here, the one that ranks first holds it.
      const isOwn = position <= start.index && earlier.has(start.session);
      if (!isOwn) keepLonger(found, start, { holder, position });
    }
  }
  return ranked.flatMap((session) => found.get(session) ?? []);
}

function compareRanks(a: MarkedSession, b: MarkedSession): number {
  const byLength = b.marks.ofMessages.length - a.marks.ofMessages.length;
  return byLength || b.size - a.size || compareTexts(a.name, b.name);
}

function collectStarts(sessions: readonly MarkedSession[]): ReadonlyMap<number, readonly Start[]> {
  const starts = new Map<number, Start[]>();
  for (const session of sessions.filter(({ marks }) => Number.isFinite(marks.least))) {
    for (const index of session.isPartial ? [0, 1] : [0]) {
      const mark = session.marks.ofMessages[index];
      if (mark === undefined) continue;
      const known = starts.get(mark);
      if (known === undefined) starts.set(mark, [{ session, index }]);
      else known.push({ session, index });
    }
  }
  return starts;
}

/** Where others may begin in a session. */
function* startsIn(
  holder: MarkedSession,
  starts: ReadonlyMap<number, readonly Start[]>,
): Generator<Start & { readonly position: number }, void, void> {
  for (const [position, mark] of holder.marks.ofMessages.entries()) {
    for (const start of starts.get(mark) ?? []) {
      if (start.session !== holder) yield { ...start, position };
    }
  }
}

function keepLonger(
  found: Map<MarkedSession, SharedBeginning>,
  { session, index }: Start,
  { holder, position }: { readonly holder: MarkedSession; readonly position: number },
): void {
  const own = session.marks.ofMessages;
  const other = holder.marks.ofMessages;
  let end = index;
  while (end < own.length && own[end] === other[position + end - index]) end += 1;
  if (end < session.marks.least || end <= (found.get(session)?.messages ?? 0)) return;
  found.set(session, { name: session.name, sharedWith: holder.name, messages: end });
}
