import { commonLength } from '../../../engine/index.ts';
import type { PromptBlock } from './prompt.ts';

/** The beginning of a prompt that a provider keeps. */
export interface CacheEntry {
  /** How many blocks it has. */
  readonly blockCount: number;
  readonly tokens: number;
}

/** Requests of which each began with all of the one before it, as the last of them stands. */
export interface Branch {
  blocks: readonly PromptBlock[];
  tokens: number;
  /** Shortest first. */
  entries: CacheEntry[];
  /** The start of the last request that used each entry; apart from them to be passed over quickly. */
  usedMs: number[];
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
  { entries, usedMs }: Branch,
  { maxBlocks, sinceMs }: { readonly maxBlocks: number; readonly sinceMs: number },
): CacheEntry | undefined {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    const isLive = (usedMs[index] ?? 0) >= sinceMs;
    if (isLive && entry && entry.blockCount <= maxBlocks) return entry;
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
