import { commonPrefix, NO_BLOCKS, type Prefix } from './prefix.ts';
import type { Prompt } from './prompt.ts';
import { cutUses, type Use } from './uses.ts';

/** The beginning of a prompt that a provider keeps. */
export type CacheEntry = Pick<Prefix, 'length' | 'tokens'>;

/** Requests of which each began with all of the one before it, as the last of them stands. */
export interface Branch {
  whole: Prefix;
  /** Those that have not run out, shortest first. */
  entries: CacheEntry[];
  /** When its entries were used last. */
  uses: Use[];
  /** How many blocks the shortest entry has that it ever had; 0 where it never had any. */
  keptBlocks: number;
  /** What the newest request begins with as well. */
  shared: Prefix;
}

/** Notes on every branch how much of it a new request shares; the newest branch comes first. */
export function compareBranches(
  branches: readonly Branch[],
  { whole: request, marks }: Prompt,
): void {
  const newest = branches[0];
  if (newest === undefined) return;
  const isMarked = marks.includes(newest.whole);
  const shared = isMarked ? newest.whole : commonPrefix(newest.whole, request);
  for (const branch of branches) {
    // What it shared with the newest branch tells the rest, unless both part there from that branch.
    if (branch === newest || branch.shared.length > shared.length) branch.shared = shared;
    else if (branch.shared.length === shared.length) {
      branch.shared = commonPrefix(branch.whole, request);
    }
  }
}

/** The branch that shares most with the newest request; the newer one of two. */
export function nearestBranch(branches: readonly Branch[]): Branch | undefined {
  let nearest = branches[0];
  for (const branch of branches) {
    if (nearest && branch.shared.length > nearest.shared.length) nearest = branch;
  }
  return nearest;
}

/** A branch of its own, with the entries on the way that it has in common with another one. */
export function forkOf(branch: Branch | undefined): Branch {
  if (branch === undefined) {
    return { whole: NO_BLOCKS, entries: [], uses: [], keptBlocks: 0, shared: NO_BLOCKS };
  }
  const { entries, uses, keptBlocks, shared } = branch;
  const end = countShorter(branch, shared.length + 1);
  return {
    whole: NO_BLOCKS,
    entries: entries.slice(0, end),
    uses: cutUses(uses, end),
    keptBlocks: keptBlocks > shared.length ? 0 : keptBlocks,
    shared,
  };
}

/** Drops the entries that were used last before a time. */
export function forgetEntries(branch: Branch, sinceMs: number): void {
  const { entries, uses } = branch;
  branch.entries = [];
  branch.uses = [];
  let start = 0;
  for (const { end, usedMs } of uses) {
    if (usedMs >= sinceMs) {
      branch.entries.push(...entries.slice(start, end));
      branch.uses.push({ end: branch.entries.length, usedMs });
    }
    start = end;
  }
}

/** The longest entry of a branch, no longer than that many blocks. */
export function longestEntry(branch: Branch, maxBlocks: number): CacheEntry | undefined {
  const count = countShorter(branch, maxBlocks + 1);
  return count === 0 ? undefined : branch.entries[count - 1];
}

/** How many entries of a branch are shorter than that many blocks. */
export function countShorter({ entries }: Branch, blockCount: number): number {
  const shortest = entries[0];
  if (shortest === undefined || shortest.length >= blockCount) return 0;
  // Of a branch that is left behind, what others begin with as well is mostly its first entry alone.
  if ((entries[1]?.length ?? Infinity) >= blockCount) return 1;
  let low = 1;
  let high = entries.length;
  if (entries[high - 1]?.length === blockCount) return high - 1;
  // Most searches end at the newest entries: the steps back from there grow until an entry is short enough.
  for (let step = 1; low < high; step *= 2) {
    const index = low === 1 ? Math.max(1, high - step) : (low + high) >> 1;
    const entry = entries[index];
    if (entry && entry.length < blockCount) low = index + 1;
    else high = index;
  }
  return low;
}
