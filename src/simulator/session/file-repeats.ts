import { type CopyCandidate, type GrowingCopy, toCopyCandidate } from './copies.ts';
import { loadSessions } from './load.ts';
import { findRepeats, type Repeats } from './repeats.ts';
import type { SharedBeginning } from './shared-beginnings.ts';

/** What repeats in some sessions, each by its name. */
export interface RepeatsByName {
  readonly copies: ReadonlyMap<string, GrowingCopy>;
  readonly shared: ReadonlyMap<string, SharedBeginning>;
}

/** The sessions of the files that others hold, wholly or at their beginning. One session is in memory at a time. */
export function findFileRepeats(files: readonly string[]): RepeatsByName {
  // A single file cannot hold copies of itself, and is read only once.
  return byName(files.length < 2 ? { copies: [], shared: [] } : findRepeats(readCandidates(files)));
}

/** The same by the names of the sessions. */
export function byName({ copies, shared }: Repeats): RepeatsByName {
  return {
    copies: new Map(copies.map((copy) => [copy.name, copy])),
    shared: new Map(shared.map((beginning) => [beginning.name, beginning])),
  };
}

function readCandidates(files: readonly string[]): readonly CopyCandidate[] {
  const candidates: CopyCandidate[] = [];
  for (const loaded of loadSessions(files)) {
    if (loaded.state === 'read') candidates.push(toCopyCandidate(loaded.session));
  }
  return candidates;
}
