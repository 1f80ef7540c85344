import { keepAutomatically, useAutomatically } from './automatic.ts';
import {
  type Branch,
  compareBranches,
  countShorter,
  longestEntry,
  nearestBranch,
} from './branch.ts';
import { keepAtBreakpoints, useBreakpoints } from './breakpoints.ts';
import { NO_BLOCKS } from './prefix.ts';
import type { CacheSplit, Prompt } from './prompt.ts';
import { type CacheRequest, toCacheRequest } from './request.ts';
import type { CacheRules } from './rules.ts';
import { cutUses } from './uses.ts';

/** What a provider has cached of one account's requests to one model. */
export interface PrefixCache {
  /** Takes a request that starts at that time, in ms, and remembers what of it is cached. */
  send(prompt: Prompt, startMs: number): CacheSplit;
}

/** Branches that are remembered; the ones unused for longest are forgotten. */
const MAX_BRANCHES = 8;

/** A cache that is still empty. */
export function createPrefixCache(rules: CacheRules): PrefixCache {
  const branches: Branch[] = [];
  return {
    send(prompt, startMs) {
      compareBranches(branches, prompt.whole);
      const request = toCacheRequest(rules, branches, { prompt, startMs });
      const split = splitRequest(request);
      if (rules.kind !== 'none') keepRequest(branches, request);
      return split;
    },
  };
}

function splitRequest(request: CacheRequest): CacheSplit {
  // Before the use, which makes entries live longer.
  const last = request.branches.find(isSameConversation);
  const entry = last && liveEntryOf(last, request);
  const isCold = entry === undefined && hasRunOut(request);
  const lostTokens = Math.max(0, (entry?.tokens ?? 0) - (last?.shared.tokens ?? 0));
  const { readTokens, writeTokens } = useCache(request);
  return {
    readTokens,
    writeTokens,
    freshTokens: request.tokens - readTokens - writeTokens,
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
    if (!isSameConversation(branch) || branch.entries.length === 0) continue;
    if (liveEntryOf(branch, request)) return false;
    wasCached = true;
  }
  return wasCached;
}

function keepRequest(branches: Branch[], request: CacheRequest): void {
  const branch = request.extended ?? forkOf(request);
  branch.whole = request.prompt.whole;
  branch.shared = branch.whole;
  if (request.rules.kind === 'automatic') keepAutomatically(branch, request);
  else keepAtBreakpoints(branch, request);
  moveToFront(branches, branch);
  if (!request.extended) forgetBranches(branches, request);
}

/** A branch of its own, with the entries on the way that it has in common with the nearest one. */
function forkOf({ branches }: CacheRequest): Branch {
  const nearest = nearestBranch(branches);
  const shared = nearest?.shared ?? NO_BLOCKS;
  const end = nearest ? countShorter(nearest, shared.length + 1) : 0;
  return {
    whole: NO_BLOCKS,
    entries: nearest?.entries.slice(0, end) ?? [],
    uses: nearest ? cutUses(nearest.uses, end) : [],
    shared,
  };
}

function moveToFront(branches: Branch[], branch: Branch): void {
  if (branches[0] === branch) return;
  const index = branches.indexOf(branch);
  if (index > 0) branches.splice(index, 1);
  branches.unshift(branch);
}

/** Forgets what the newest branch replaces because it has run out, and what is too much. */
function forgetBranches(branches: Branch[], request: CacheRequest): void {
  for (let index = branches.length - 1; index > 0; index--) {
    const branch = branches[index];
    const isDead = branch && isSameConversation(branch) && !liveEntryOf(branch, request);
    if (isDead || index >= MAX_BRANCHES) branches.splice(index, 1);
  }
}

function isSameConversation({ shared }: Branch): boolean {
  return shared.length > 0;
}

function liveEntryOf(branch: Branch, { sinceMs }: CacheRequest) {
  return longestEntry(branch, { maxBlocks: branch.whole.length, sinceMs });
}
