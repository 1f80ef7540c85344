import { commonLength } from '../../../engine/index.ts';
import type { PromptBlock } from './prompt.ts';

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
  blocks: readonly PromptBlock[];
  tokens: number;
  /** Shortest first. */
  entries: CacheEntry[];
  /** When its entries were used last. */
  uses: readonly Use[];
  /** How many of its first blocks the newest request has as well. */
  sharedBlocks: number;
}

/** Notes on every branch how much of it a new request shares; the newest branch comes first. */
export function compareBranches(branches: readonly Branch[], blocks: readonly PromptBlock[]): void {
  const newest = branches[0];
  if (newest === undefined) return;
  const shared = commonLength(newest.blocks, blocks);
  for (const branch of branches) {
    // What it shared with the newest branch tells the rest, unless both part there from that branch.
    if (branch.sharedBlocks > shared) branch.sharedBlocks = shared;
    else if (branch.sharedBlocks === shared) {
      branch.sharedBlocks = branch === newest ? shared : commonLength(branch.blocks, blocks);
    }
  }
}

/** The branch that shares most with the newest request; the newer one of two. */
export function nearestBranch(branches: readonly Branch[]): Branch | undefined {
  let nearest = branches[0];
  for (const branch of branches) {
    if (nearest && branch.sharedBlocks > nearest.sharedBlocks) nearest = branch;
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
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry && entry.blockCount < blockCount) low = middle + 1;
    else high = middle;
  }
  return low;
}
