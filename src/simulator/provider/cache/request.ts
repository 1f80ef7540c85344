import { type Fold, firstItems, foldOver, itemAt } from '../../../engine/index.ts';
import { type Branch, nearestBranch } from './branch.ts';
import type { Prompt, PromptBlock } from './prompt.ts';
import type { CacheRules } from './rules.ts';

/** A request beside what the cache holds when it starts. */
export interface CacheRequest {
  readonly rules: CacheRules;
  readonly prompt: Prompt;
  readonly startMs: number;
  /** Entries last used before this time have run out. */
  readonly sinceMs: number;
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
  const extended = nearest?.sharedBlocks === nearest?.blocks.length ? nearest : undefined;
  return {
    rules,
    prompt,
    startMs,
    sinceMs: startMs - rules.ttlMs,
    branches,
    extended,
    tokens: tokensBefore({ prompt, extended }, prompt.blocks.length),
  };
}

const blockTokens: Fold<PromptBlock, number> = {
  start: 0,
  add: (total, { tokens }) => total + tokens,
};

/** The tokens of that many first blocks; those of the extended branch are known and not added up again. */
export function tokensBefore(
  { prompt, extended }: Pick<CacheRequest, 'prompt' | 'extended'>,
  blockCount: number,
): number {
  const { blocks } = prompt;
  if (extended === undefined || extended.blocks.length > blockCount) {
    return foldOver(firstItems(blocks, blockCount), blockTokens);
  }
  let { tokens } = extended;
  for (let index = extended.blocks.length; index < blockCount; index++) {
    tokens += itemAt(blocks, index)?.tokens ?? 0;
  }
  return tokens;
}
