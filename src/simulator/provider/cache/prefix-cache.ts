import { keepAutomatically, useAutomatically } from './automatic.ts';
import { type Branch, compareBranches, forgetEntries, forkOf, nearestBranch } from './branch.ts';
import { keepAtBreakpoints, useBreakpoints } from './breakpoints.ts';
import type { CacheSplit, Prompt } from './prompt.ts';
import type { CacheRequest } from './request.ts';
import type { CacheRules } from './rules.ts';
import { wasUsedBefore } from './uses.ts';

/** What a provider has cached of one account's requests to one model. */
export interface PrefixCache {
  /** Takes a request that starts at that time, in ms, and no earlier than the one before; remembers what of it is cached. */
  send(prompt: Prompt, startMs: number): CacheSplit;
}

/** Branches that are remembered; the ones unused for longest are forgotten. */
const MAX_BRANCHES = 8;

/** A cache that is still empty. */
export function createPrefixCache(rules: CacheRules): PrefixCache {
  const branches: Branch[] = [];
  return {
    send(prompt, startMs) {
      const sinceMs = startMs - rules.ttlMs;
      for (const branch of branches) {
        if (wasUsedBefore(branch.uses, sinceMs)) forgetEntries(branch, sinceMs);
      }
      compareBranches(branches, prompt);
      const request = { rules, branches, prompt, startMs };
      const split = splitRequest(request);
      if (rules.kind !== 'none') keepRequest(branches, request);
      return split;
    },
  };
}

function splitRequest(request: CacheRequest): CacheSplit {
  // Before the use, which makes entries live longer.
  const last = newestAlike(request.branches);
  const entry = last?.entries.at(-1);
  const isCold = hasRunOut(request);
  const lostTokens = Math.max(0, (entry?.tokens ?? 0) - (last?.shared.tokens ?? 0));
  const { readTokens, writeTokens } = useCache(request);
  return {
    readTokens,
    writeTokens,
    freshTokens: request.prompt.whole.tokens - readTokens - writeTokens,
    lostTokens,
    isCold,
  };
}

function useCache(request: CacheRequest) {
  switch (request.rules.kind) {
    case 'breakpoints':
      return useBreakpoints(request);
    case 'automatic':
      return useAutomatically(request);
    case 'none':
      return { readTokens: 0, writeTokens: 0 };
  }
}

function hasRunOut(request: CacheRequest): boolean {
  let wasCached = false;
  for (const branch of request.branches) {
    if (!isSameConversation(branch)) continue;
    if (branch.entries.length > 0) return false;
    wasCached ||= branch.keptBlocks > 0;
  }
  return wasCached;
}

function keepRequest(branches: Branch[], request: CacheRequest): void {
  const nearest = nearestBranch(branches);
  const branch = nearest && isExtended(nearest) ? nearest : forkOf(nearest);
  branch.whole = request.prompt.whole;
  branch.shared = branch.whole;
  if (request.rules.kind === 'automatic') keepAutomatically(branch, request);
  else keepAtBreakpoints(branch, request);
  moveToFront(branches, branch);
  if (branch !== nearest) forgetBranches(branches);
}

/** Whether the newest request goes on from all of a branch. */
function isExtended({ shared, whole }: Branch): boolean {
  return shared.length === whole.length;
}

function moveToFront(branches: Branch[], branch: Branch): void {
  if (branches[0] === branch) return;
  const index = branches.indexOf(branch);
  if (index > 0) branches.splice(index, 1);
  branches.unshift(branch);
}

/** Forgets what the newest branch replaces because it has run out, and what is too much. */
function forgetBranches(branches: Branch[]): void {
  for (let index = branches.length - 1; index > 0; index--) {
    const branch = branches[index];
    const isDead = branch && isSameConversation(branch) && branch.entries.length === 0;
    if (isDead || index >= MAX_BRANCHES) branches.splice(index, 1);
  }
}

function newestAlike(branches: readonly Branch[]): Branch | undefined {
  for (const branch of branches) if (isSameConversation(branch)) return branch;
  return undefined;
}

function isSameConversation({ shared }: Branch): boolean {
  return shared.length > 0;
}
