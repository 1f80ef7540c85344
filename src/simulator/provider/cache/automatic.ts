import type { Branch } from './branch.ts';
import { NO_BLOCKS, type Prefix } from './prefix.ts';
import type { CacheRequest, CacheUse } from './request.ts';
import type { CacheRules } from './rules.ts';

/** What a provider that caches by itself reads and writes: all that begins like a live prompt. */
export function useAutomatically(request: CacheRequest): CacheUse {
  const { rules, tokens } = request;
  const readTokens = cachedTokens(rules, liveShared(request).tokens);
  const writeTokens = rules.billsWrites ? cachedTokens(rules, tokens) - readTokens : 0;
  return { readTokens, writeTokens };
}

/** Keeps the whole prompt of a request, or nothing of one that is too short. */
export function keepAutomatically(branch: Branch, { rules, tokens, startMs }: CacheRequest): void {
  const kept = cachedTokens(rules, tokens);
  const blockCount = branch.whole.length;
  branch.entries = kept > 0 ? [{ blockCount, tokens: kept }] : [];
  branch.uses = kept > 0 ? [{ end: 1, usedMs: startMs }] : [];
}

/** The longest beginning of a request that a live branch has as well. */
function liveShared({ branches, sinceMs }: CacheRequest): Prefix {
  let longest = NO_BLOCKS;
  for (const { uses, shared } of branches) {
    const isLive = uses[0] !== undefined && uses[0].usedMs >= sinceMs;
    if (isLive && shared.length > longest.length) longest = shared;
  }
  return longest;
}

function cachedTokens({ granularityTokens, minimumTokens }: CacheRules, tokens: number): number {
  const whole = tokens - (tokens % granularityTokens);
  return whole < minimumTokens ? 0 : whole;
}
