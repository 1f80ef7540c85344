import { type Branch, nearestBranch } from './branch.ts';
import type { Prompt } from './prompt.ts';
import type { CacheRules } from './rules.ts';

/** A request beside what the cache holds when it starts. */
export interface CacheRequest {
  readonly rules: CacheRules;
  readonly prompt: Prompt;
  readonly startMs: number;
  /** Newest first. */
  readonly branches: readonly Branch[];
  /** The branch that the request begins with, if it begins with all of one. */
  readonly extended: Branch | undefined;
  readonly tokens: number;
}

/** What of a request is read, written and kept from then on. */
export interface CacheUse {
  readonly readTokens: number;
  readonly writeTokens: number;
}

/** Lays a request beside the branches, which have been compared with it. */
export function toCacheRequest(
  rules: CacheRules,
  branches: readonly Branch[],
  { prompt, startMs }: { readonly prompt: Prompt; readonly startMs: number },
): CacheRequest {
  const nearest = nearestBranch(branches);
  return {
    rules,
    prompt,
    startMs,
    branches,
    extended: nearest?.shared.length === nearest?.whole.length ? nearest : undefined,
    tokens: prompt.whole.tokens,
  };
}
