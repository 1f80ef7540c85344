import type { Branch } from './branch.ts';
import type { Prompt } from './prompt.ts';
import type { CacheRules } from './rules.ts';

/** A request beside what the cache holds when it starts. */
export interface CacheRequest {
  readonly rules: CacheRules;
  /** Newest first; they have been compared with the request. */
  readonly branches: readonly Branch[];
  readonly prompt: Prompt;
  readonly startMs: number;
}

/** What of a request is read, written and kept from then on. */
export interface CacheUse {
  readonly readTokens: number;
  readonly writeTokens: number;
}
