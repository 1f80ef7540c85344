import { createPrefixCache, type PrefixCache } from './prefix-cache.ts';
import type { CacheSplit, Prompt } from './prompt.ts';
import type { CacheRules } from './rules.ts';

/** Where caches with the same rules begin that may be sent the same: what was sent first, last time. */
export interface CachePath {
  next: Sent | undefined;
}

/** A request with what came of it, behind all requests before it. */
interface Sent extends CachePath {
  readonly prompt: Prompt;
  readonly startMs: number;
  readonly split: CacheSplit;
  readonly before: Sent | undefined;
}

/** A cache that was sent all requests up to one of them. */
interface Worked {
  readonly cache: PrefixCache;
  newest: Sent | undefined;
}

/** A path that nobody has gone yet. */
export function startPath(): CachePath {
  return { next: undefined };
}

/**
 * A cache, still empty, that shares with others what the same requests came to. What is sent as it was sent along the
 * path last time, from the beginning on, is not worked out again; where it turns off, the path goes its way from then on.
 */
export function createSharedCache(rules: CacheRules, path: CachePath): PrefixCache {
  let newest: Sent | undefined;
  let worked: Worked | undefined;
  return {
    send(prompt, startMs) {
      const end = newest ?? path;
      const known = end.next;
      if (known !== undefined && known.prompt === prompt && known.startMs === startMs) {
        newest = known;
        return known.split;
      }
      worked ??= { cache: createPrefixCache(rules), newest: undefined };
      if (worked.newest !== newest) catchUp(worked, newest);
      const split = worked.cache.send(prompt, startMs);
      newest = end.next = { prompt, startMs, split, before: newest, next: undefined };
      worked.newest = newest;
      return split;
    },
  };
}

/** Sends what was found along the path since then, up to a request. */
function catchUp({ cache, newest: last }: Worked, newest: Sent | undefined): void {
  const missing: Sent[] = [];
  for (let sent = newest; sent !== undefined && sent !== last; sent = sent.before) {
    missing.push(sent);
  }
  for (const { prompt, startMs } of missing.toReversed()) cache.send(prompt, startMs);
}
