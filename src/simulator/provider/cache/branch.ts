import { commonPrefix, type Prefix } from './prefix.ts';

/** The beginning of a prompt that a provider keeps. */
export interface CacheEntry {
  /** How many blocks it has. */
  readonly blockCount: number;
  readonly tokens: number;
}

/** Entries in a row that the same request used last. */
export interface Use {
  /** How many entries there are up to the last of them. */
  readonly end: number;
  /** The start of that request. */
  readonly usedMs: number;
}

/** Requests of which each began with all of the one before it, as the last of them stands. */
export interface Branch {
  whole: Prefix;
  /** Shortest first. */
  entries: CacheEntry[];
  /** When its entries were used last. */
  uses: readonly Use[];
  /** What the newest request begins with as well. */
  shared: Prefix;
}

/** Notes on every branch how much of it a new request shares; the newest branch comes first. */
export function compareBranches(branches: readonly Branch[], request: Prefix): void {
  const newest = branches[0];
  if (newest === undefined) return;
  const shared = commonPrefix(newest.whole, request);
  for (const branch of branches) {
    // What it shared with the newest branch tells the rest, unless both part there from that branch.
    if (branch.shared.length > shared.length) branch.shared = shared;
    else if (branch.shared.length === shared.length) {
      branch.shared = branch === newest ? shared : commonPrefix(branch.whole, request);
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

/** The longest entry of a branch, no longer than that many blocks, that was used since a time. */
export function longestEntry(
  branch: Branch,
  { maxBlocks, sinceMs }: { readonly maxBlocks: number; readonly sinceMs: number },
): CacheEntry | undefined {
  const { entries, uses } = branch;
  const count = countShorter(branch, maxBlocks + 1);
  for (let index = uses.length - 1; index >= 0; index--) {
    const use = uses[index];
    const start = uses[index - 1]?.end ?? 0;
    if (use && use.usedMs >= sinceMs && start < count) return entries[Math.min(count, use.end) - 1];
  }
  return undefined;
}

/** How many entries of a branch are shorter than that many blocks. */
export function countShorter({ entries }: Branch, blockCount: number): number {
  let low = 0;
  let high = entries.length;
  // Most searches end at the newest entries: the steps back from there grow until an entry is short enough.
  for (let step = 1; low < high; step *= 2) {
    const index = low === 0 ? Math.max(0, high - step) : (low + high) >> 1;
    const entry = entries[index];
    if (entry && entry.blockCount < blockCount) low = index + 1;
    else high = index;
  }
  return low;
}
