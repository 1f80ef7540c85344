import type { Usage } from '../../../engine/index.ts';
import { behaviourOf } from '../../provider/behaviours.ts';
import { createPrefixCache } from '../../provider/cache/prefix-cache.ts';
import { type CacheSplit, toPrompt } from '../../provider/cache/prompt.ts';
import { type CacheRules, cacheRules } from '../../provider/cache/rules.ts';
import { cacheOf } from '../../provider/model-profile.ts';
import { contextTokensOf, type Session } from '../../session/session.ts';
import type { StepPair } from '../step-pairs.ts';

/**
 * The cache rules under which steps of a session were recorded; absent where their model is not known or caches nothing,
 * and where nothing tells what was cached.
 */
export function rulesOf(
  model: string | undefined,
  { cacheTtlMs, isCacheUnknown }: Session,
): CacheRules | undefined {
  if (model === undefined || isCacheUnknown) return undefined;
  const behaviour = behaviourOf(model);
  const { cache: name } = behaviour;
  const isLong = name === 'anthropic-5m' && cacheTtlMs === cacheRules['anthropic-1h'].ttlMs;
  const rules = cacheOf({ ...behaviour, cache: isLong ? 'anthropic-1h' : name });
  return rules.kind === 'none' ? undefined : rules;
}

/**
 * How the input of a pair's second step comes about if its context has that size. The cache holds what the first
 * step read and wrote, as recorded, from the start of that step; clients mark where it ended, and the new end.
 */
export function predictSplit(
  { from, to }: StepPair,
  contextTokens: number,
  rules: CacheRules,
): CacheSplit {
  const known = { tokens: Math.min(contextTokens, cachedTokens(from.usage, rules)) };
  const added = { tokens: contextTokens - known.tokens };
  const cache = createPrefixCache(rules);
  cache.send(toPrompt([known], [1]), from.createdAt);
  return cache.send(toPrompt([known, added], [1, 2]), to.createdAt);
}

/** Automatic caches keep everything that was sent; at marks, only what was read or written. */
function cachedTokens(usage: Usage, { kind }: CacheRules): number {
  return kind === 'automatic' ? contextTokensOf(usage) : usage.cacheRead + usage.cacheWrite;
}
