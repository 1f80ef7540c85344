import type { CacheRules } from './behaviours.ts';
import { type CacheSplit, commonPrefix, NO_BLOCKS, type Prefix, type Prompt } from './prompt.ts';

/** The prompt cache of a provider for one account and one model. */
export interface PrefixCache {
  /** Takes a request that starts at that time, in ms, and no earlier than the one before; remembers what of it is cached. */
  send(prompt: Prompt, startMs: number): CacheSplit;
  /** Forgets all beginnings of more than so many tokens, as a provider does that lost them. */
  keepUpTo(tokens: number): void;
  refresh(startMs: number): void;
}

/** The beginning of a prompt that a provider keeps. */
interface CacheEntry extends Pick<Prefix, 'length' | 'tokens'> {
  /** The start of the last request that used it. */
  usedMs: number;
}

/** A chain of requests of which each extends the one before it. */
interface Branch {
  whole: Prefix;
  /** Those that have not run out, shortest first; a fork has those on the way in common with its branch. */
  entries: CacheEntry[];
  /** How many blocks the shortest entry has that it ever had; 0 where it never had any. */
  keptBlocks: number;
  /** The prefix that the newest request shares with the branch. */
  shared: Prefix;
}

/** A request beside what the cache holds when it starts. */
interface CacheRequest {
  readonly rules: CacheRules;
  /** Newest first; they have been compared with the request. */
  readonly branches: readonly Branch[];
  readonly prompt: Prompt;
  readonly startMs: number;
}

interface CacheUse {
  readonly readTokens: number;
  readonly writeTokens: number;
}

/** Branches that are remembered; the ones unused for longest are forgotten. */
const MAX_BRANCHES = 8;

/** A cache that is still empty. */
export function createPrefixCache(rules: CacheRules): PrefixCache {
  const branches: Branch[] = [];
  let leftTokens = 0;
  // No entry was used last before it.
  let oldestMs = Infinity;
  return {
    send(prompt, startMs) {
      const sinceMs = startMs - rules.ttlMs;
      if (oldestMs < sinceMs) {
        oldestMs = startMs;
        for (const branch of branches) {
          branch.entries = branch.entries.filter(({ usedMs }) => usedMs >= sinceMs);
          for (const { usedMs } of branch.entries) oldestMs = Math.min(oldestMs, usedMs);
        }
      }
      oldestMs = Math.min(oldestMs, startMs);
      compareBranches(branches, prompt);
      const request = { rules, branches, prompt, startMs };
      const split = readAtLeast(leftTokens, splitRequest(request), branches);
      leftTokens = 0;
      if (rules.kind !== 'none') keepRequest(branches, request);
      return split;
    },
    keepUpTo(tokens) {
      for (const branch of branches)
        branch.entries = branch.entries.filter((entry) => entry.tokens <= tokens);
      leftTokens = tokens;
    },
    refresh(startMs) {
      for (const entry of branches.flatMap(({ entries }) => entries)) entry.usedMs = startMs;
    },
  };
}

/** A split of a request that reads what a provider had left of the beginning, wherever in it that ends. */
function readAtLeast(leftTokens: number, split: CacheSplit, branches: readonly Branch[]) {
  const shared = Math.max(0, ...branches.map((branch) => branch.shared.tokens));
  const moreTokens = Math.min(leftTokens, shared) - split.readTokens;
  if (moreTokens <= 0) return split;
  const fromWrites = Math.min(moreTokens, split.writeTokens);
  return {
    ...split,
    readTokens: split.readTokens + moreTokens,
    writeTokens: split.writeTokens - fromWrites,
    freshTokens: split.freshTokens - (moreTokens - fromWrites),
  };
}

/** Notes on every branch how much of it a new request shares; the newest branch comes first. */
function compareBranches(branches: readonly Branch[], { whole: request, marks }: Prompt): void {
  const newest = branches[0];
  if (newest === undefined) return;
  const isMarked = marks.includes(newest.whole);
  const shared = isMarked ? newest.whole : commonPrefix(newest.whole, request);
  for (const branch of branches) {
    // The prefix that it shared with the newest branch tells the rest, unless both part there from that branch.
    if (branch === newest || branch.shared.length > shared.length) branch.shared = shared;
    else if (branch.shared.length === shared.length) {
      branch.shared = commonPrefix(branch.whole, request);
    }
  }
}

function splitRequest(request: CacheRequest): CacheSplit {
  // Before the use, which makes entries live longer.
  const alike = request.branches.filter(({ shared }) => shared.length > 0);
  const last = alike[0];
  const entry = last?.entries.at(-1);
  const isCold =
    alike.every(({ entries }) => entries.length === 0) &&
    alike.some(({ keptBlocks }) => keptBlocks > 0);
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

function useCache(request: CacheRequest): CacheUse {
  switch (request.rules.kind) {
    case 'breakpoints':
      return useBreakpoints(request);
    case 'automatic':
      return useAutomatically(request);
    case 'none':
      return { readTokens: 0, writeTokens: 0 };
  }
}

/** The cache use of a provider that caches at marks. Entries that it reads count one more use. */
function useBreakpoints(request: CacheRequest): CacheUse {
  const marks = countedMarks(request);
  const entry = findEntry(request, marks);
  if (entry) refreshEntries(request, entry.length);
  const readTokens = entry?.tokens ?? 0;
  const markedTokens = marks.at(-1)?.tokens ?? 0;
  const writeTokens = markedTokens < request.rules.minimumTokens ? 0 : markedTokens - readTokens;
  return { readTokens, writeTokens };
}

/** The first mark, which is behind system prompt and tools, and the last ones. */
function countedMarks({ prompt: { marks }, rules }: CacheRequest): readonly Prefix[] {
  const surplus = marks.length - rules.maxBreakpoints;
  return surplus > 0 ? marks.filter((_, index) => index === 0 || index > surplus) : marks;
}

function findEntry(request: CacheRequest, marks: readonly Prefix[]): CacheEntry | undefined {
  for (const { length } of marks.toReversed()) {
    const entry = findEntryNear(request, length);
    if (entry) return entry;
  }
  return undefined;
}

function findEntryNear({ branches, rules }: CacheRequest, mark: number): CacheEntry | undefined {
  let found: CacheEntry | undefined;
  for (const { entries, shared } of branches) {
    const maxBlocks = Math.min(mark, shared.length);
    if (maxBlocks <= (found?.length ?? 0)) continue;
    const entry = entries.findLast(({ length }) => length <= maxBlocks);
    const isNear = entry !== undefined && mark - entry.length <= rules.lookBackBlocks;
    if (isNear && entry.length > (found?.length ?? 0)) found = entry;
  }
  return found;
}

function refreshEntries({ branches, startMs }: CacheRequest, readBlocks: number): void {
  for (const { entries, shared } of branches) {
    const blocks = Math.min(readBlocks, shared.length);
    for (const entry of entries) {
      if (entry.length > blocks) break;
      entry.usedMs = startMs;
    }
  }
}

/** The cache use of a provider that caches without marks: everything that starts like a live prompt. */
function useAutomatically({ branches, rules, prompt }: CacheRequest): CacheUse {
  const readTokens = cachedTokens(rules, liveShared(branches).tokens);
  const writeTokens = rules.billsWrites ? cachedTokens(rules, prompt.whole.tokens) - readTokens : 0;
  return { readTokens, writeTokens };
}

function cachedTokens({ granularityTokens, minimumTokens }: CacheRules, tokens: number): number {
  const whole = tokens - (tokens % granularityTokens);
  return whole < minimumTokens ? 0 : whole;
}

/** The longest beginning of a request that a live branch has as well. */
function liveShared(branches: readonly Branch[]): Prefix {
  const live = branches.filter(({ entries }) => entries.length > 0);
  return nearestBranch(live)?.shared ?? NO_BLOCKS;
}

function keepRequest(branches: Branch[], request: CacheRequest): void {
  const nearest = nearestBranch(branches);
  const isExtended = nearest?.shared.length === nearest?.whole.length;
  const branch = nearest && isExtended ? nearest : forkOf(nearest);
  branch.whole = request.prompt.whole;
  branch.shared = branch.whole;
  if (request.rules.kind === 'automatic') keepAutomatically(branch, request);
  else keepAtBreakpoints(branch, request);
  const index = branches.indexOf(branch);
  if (index >= 0) branches.splice(index, 1);
  branches.unshift(branch);
  if (branch !== nearest) forgetBranches(branches);
}

/** The branch that shares most with the newest request; the newer one of two. */
function nearestBranch(branches: readonly Branch[]): Branch | undefined {
  let nearest = branches[0];
  for (const branch of branches) {
    if (nearest && branch.shared.length > nearest.shared.length) nearest = branch;
  }
  return nearest;
}

function forkOf(branch: Branch | undefined): Branch {
  const { entries = [], keptBlocks = 0, shared = NO_BLOCKS } = branch ?? {};
  return {
    whole: NO_BLOCKS,
    entries: entries.filter(({ length }) => length <= shared.length),
    keptBlocks: keptBlocks > shared.length ? 0 : keptBlocks,
    shared,
  };
}

function keepAutomatically(branch: Branch, { rules, startMs }: CacheRequest): void {
  const { length, tokens } = branch.whole;
  const kept = cachedTokens(rules, tokens);
  branch.entries = kept > 0 ? [{ length, tokens: kept, usedMs: startMs }] : [];
  branch.keptBlocks = kept > 0 ? length : 0;
}

/** An entry that is there already was used when the request was read: none near a later mark is shorter. */
function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  const { rules, startMs } = request;
  const { entries } = branch;
  for (const { length, tokens } of countedMarks(request)) {
    if (tokens < rules.minimumTokens) continue;
    const index = entries.findLastIndex((entry) => entry.length < length) + 1;
    if (entries[index]?.length === length) continue;
    entries.splice(index, 0, { length, tokens, usedMs: startMs });
    branch.keptBlocks = Math.min(branch.keptBlocks || length, length);
  }
}

function forgetBranches(branches: Branch[]): void {
  for (let index = branches.length - 1; index > 0; index--) {
    const branch = branches[index];
    const isDead = branch && branch.shared.length > 0 && branch.entries.length === 0;
    if (isDead || index >= MAX_BRANCHES) branches.splice(index, 1);
  }
}
