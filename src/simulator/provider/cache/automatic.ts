import type { Branch } from './branch.ts';
import { type CacheRequest, type CacheUse, tokensBefore } from './request.ts';
import type { CacheRules } from './rules.ts';

/** What a provider that caches by itself reads and writes: all that begins like a live prompt. */
export function useAutomatically(request: CacheRequest): CacheUse {
  const { rules, tokens } = request;
  const readTokens = cachedTokens(rules, tokensBefore(request, liveSharedBlocks(request)));
  const writeTokens = rules.billsWrites ? cachedTokens(rules, tokens) - readTokens : 0;
  return { readTokens, writeTokens };
}

/** Keeps the whole prompt of a request, or nothing of one that is too short. */
export function keepAutomatically(branch: Branch, { rules, tokens, startMs }: CacheRequest): void {
  const kept = cachedTokens(rules, tokens);
  const blockCount = branch.blocks.length;
  branch.entries = kept > 0 ? [{ blockCount, tokens: kept }] : [];
  branch.uses = kept > 0 ? [{ end: 1, usedMs: startMs }] : [];
}

function liveSharedBlocks({ branches, sinceMs }: CacheRequest): number {
  let blocks = 0;
  for (const { uses, sharedBlocks } of branches) {
    const isLive = uses[0] !== undefined && uses[0].usedMs >= sinceMs;
    if (isLive && sharedBlocks > blocks) blocks = sharedBlocks;
  }
  return blocks;
}

function cachedTokens({ granularityTokens, minimumTokens }: CacheRules, tokens: number): number {
  const whole = tokens - (tokens % granularityTokens);
  return whole < minimumTokens ? 0 : whole;
}
