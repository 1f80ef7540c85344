import { joinGroups } from '../../lib/collections.ts';
import { loadSessions } from '../load.ts';
import { type CopyCandidate, type GrowingCopy, toCopyCandidate } from './copies.ts';
import { findRepeats, type Repeats } from './repeats.ts';
import type { SharedBeginning } from './shared-beginnings.ts';

/** What repeats in some sessions, each by its name. */
export interface RepeatsByName {
  readonly copies: ReadonlyMap<string, GrowingCopy>;
  readonly shared: ReadonlyMap<string, SharedBeginning>;
  /** The first by name of its family. */
  readonly families: Repeats['families'];
}

/**
 * The sessions of the files that others hold, wholly or at their beginning. One session is in memory at a time; what a
 * pipe gives is left to whoever works on it.
 */
export function findFileRepeats(files: readonly string[]): RepeatsByName {
  const candidates: CopyCandidate[] = [];
  for (const loaded of loadSessions(files, { pipes: 'leave' })) {
    if (loaded.state === 'read') candidates.push(toCopyCandidate(loaded.session));
  }
  return byName(findRepeats(candidates));
}

/** Repeats by the names of the sessions. */
export function byName({ copies, shared, families }: Repeats): RepeatsByName {
  return {
    copies: new Map(copies.map((copy) => [copy.name, copy])),
    shared: new Map(shared.map((beginning) => [beginning.name, beginning])),
    families,
  };
}

/** The families of sessions for whoever takes copies for sessions as well: a copy is of the family of what it is one of. */
export function familiesWithCopies({
  copies,
  families,
}: Pick<RepeatsByName, 'copies' | 'families'>): ReadonlyMap<string, string> {
  const ofCopies = [...copies.values()].map(({ name, copyOf }) => [name, copyOf]);
  return joinGroups([...families, ...ofCopies]);
}
