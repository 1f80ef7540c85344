import { type CopyCandidate, findGrowingCopies, type GrowingCopy } from './copies.ts';
import { findFamilies } from './families.ts';
import { findSharedBeginnings, type SharedBeginning } from './shared-beginnings.ts';

/** Which of some sessions hold what others hold. */
export interface Repeats {
  /** All of it: these are left out. */
  readonly copies: readonly GrowingCopy[];
  /** Their first messages only. */
  readonly shared: readonly SharedBeginning[];
  /** Those that are no copies and not independent, each with the first by name of its family. */
  readonly families: ReadonlyMap<string, string>;
}

/** The sessions that repeat others: earlier states of one, forks, and what was resumed under another id. */
export function findRepeats(sessions: readonly CopyCandidate[]): Repeats {
  const growing = findGrowingCopies(sessions);
  const known = new Set(growing.map(({ name }) => name));
  const others = sessions.filter(({ name }) => !known.has(name));
  const byName = new Map(others.map((session) => [session.name, session]));
  const beginnings = findSharedBeginnings(others);
  const whole = new Map(
    beginnings.flatMap((beginning) => {
      const copy = toCopy(beginning, byName);
      return copy === undefined ? [] : [[copy.name, copy] as const];
    }),
  );
  const counted = (name: string) => whole.get(name)?.copyOf ?? name;
  const grown = growing.map((copy) => ({ ...copy, copyOf: counted(copy.copyOf) }));
  return {
    copies: [...grown, ...whole.values()],
    shared: beginnings
      .filter(({ name }) => !whole.has(name))
      .map((beginning) => ({ ...beginning, sharedWith: counted(beginning.sharedWith) })),
    families: findFamilies(others.filter(({ name }) => !whole.has(name))),
  };
}

/** A session as a copy where the other one holds all of it; that of a sub-agent is none of its parent's. */
function toCopy(
  { name, sharedWith, messages }: SharedBeginning,
  sessions: ReadonlyMap<string, CopyCandidate>,
): GrowingCopy | undefined {
  const [session, holder] = [sessions.get(name), sessions.get(sharedWith)];
  const isWhole = session?.marks.ofMessages.length === messages;
  if (!isWhole || holder === undefined || session.isSide !== holder.isSide) return undefined;
  return { name, copyOf: sharedWith, isShorter: session.size < holder.size };
}
