import type { Branch } from './branch.ts';
import { NO_BLOCKS, type Prefix } from './prefix.ts';
import type { CacheRequest, CacheUse } from './request.ts';
import type { CacheRules } from './rules.ts';

/** What a provider that caches by itself reads and writes: all that begins like a live prompt. */
export function useAutomatically({ branches, rules, tokens }: CacheRequest): CacheUse {
  const readTokens = cachedTokens(rules, liveShared(branches).tokens);
  const writeTokens = rules.billsWrites ? cachedTokens(rules, tokens) - readTokens : 0;
  return { readTokens, writeTokens };
}

/** Keeps the whole prompt of a request, or nothing of one that is too short. */
export function keepAutomatically(branch: Branch, { rules, tokens, startMs }: CacheRequest): void {
  const kept = cachedTokens(rules, tokens);
  const { length } = branch.whole;
  branch.entries = kept > 0 ? [{ length, tokens: kept }] : [];
  branch.uses = kept > 0 ? [{ end: 1, usedMs: startMs }] : [];
  branch.keptBlocks = kept > 0 ? length : 0;
}

/** The longest beginning of a request that a live branch has as well. */
function liveShared(branches: readonly Branch[]): Prefix {
  let longest = NO_BLOCKS;
  for (const { entries, shared } of branches) {
    if (entries.length > 0 && shared.length > longest.length) longest = shared;
  }
  return longest;
}

function cachedTokens({ granularityTokens, minimumTokens }: CacheRules, tokens: number): number {
  const whole = tokens - (tokens % granularityTokens);
  return whole < minimumTokens ? 0 : whole;
}
