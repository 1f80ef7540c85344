import { groupBy, joinGroups } from '../../lib/collections.ts';
import { countStarts, type MarkedSession } from './shared-beginnings.ts';

/** So many first messages that two sessions share them by no chance. */
interface Beginning {
  readonly marks: Float64Array;
  /** The sessions that hold it, at their own beginning or further on. */
  readonly holders: Set<string>;
}

/**
 * Sessions of which one begins with messages of another, directly or through others: what happens in one says
 * something of all, so that together they are one piece of evidence. Each with the first by name of its family;
 * sessions that stand alone are absent.
 */
export function findFamilies(sessions: readonly MarkedSession[]): ReadonlyMap<string, string> {
  const beginnings = new Map<string, Beginning>();
  for (const session of sessions) {
    for (const marks of beginningsOf(session)) {
      beginnings.set(marks.join(), { marks, holders: new Set() });
    }
  }
  // Thousands of sessions may begin with one prompt; the answer behind it tells them apart.
  const byAnswer = groupBy([...beginnings.values()], ({ marks }) => marks.at(-1));
  for (const session of sessions) addHolder(session, byAnswer);
  const groups = [...beginnings.values()].map(({ holders }) => [...holders]);
  return joinGroups(groups.filter(({ length }) => length > 1));
}

/** What of a session others are known by: its first messages, or, behind a summary, those from its second. */
function beginningsOf({ marks, isPartial }: MarkedSession): readonly Float64Array[] {
  const { ofMessages, least } = marks;
  if (!Number.isFinite(least)) return [];
  return Array.from({ length: countStarts({ isPartial }) }, (_, start) =>
    ofMessages.subarray(start, Math.max(least, start + 1)),
  ).filter(({ length }) => length > 0);
}

function addHolder(
  { name, marks: { ofMessages } }: MarkedSession,
  byAnswer: ReadonlyMap<number | undefined, readonly Beginning[]>,
): void {
  for (const [answer, mark] of ofMessages.entries()) {
    for (const { marks, holders } of byAnswer.get(mark) ?? []) {
      const position = answer - marks.length + 1;
      if (marks.every((own, index) => own === ofMessages[position + index])) holders.add(name);
    }
  }
}
