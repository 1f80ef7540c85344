import type { CacheRules } from './cache-rules.ts';
import { type CacheSplit, commonPrefix, NO_BLOCKS, type Prefix, type Prompt } from './prompt.ts';

/** The prompt cache of a provider for one account and one model. */
export interface PrefixCache {
  /** Takes a request that starts at that time, in ms, and no earlier than the one before; remembers what of it is cached. */
  send(prompt: Prompt, startMs: number): CacheSplit;
  /** Forgets all beginnings of more than so many tokens, as a provider does that lost them. */
  keepUpTo(tokens: number): void;
  /** Counts everything that it holds as used at that time. */
  refresh(startMs: number): void;
}

interface CacheEntry extends Pick<Prefix, 'length' | 'tokens'> {
  usedMs: number;
}

/** A chain of requests of which each extends the one before it. */
interface Branch {
  whole: Prefix;
  /** Those that have not run out, shortest first. */
  entries: CacheEntry[];
  /** How many blocks the shortest entry has that it ever had; 0 where it never had any. */
  keptBlocks: number;
  shared: Prefix;
}

interface CacheRequest {
  readonly rules: CacheRules;
  /** Newest first; they have been compared with the request. */
  readonly branches: readonly Branch[];
  readonly prompt: Prompt;
  readonly startMs: number;
}

type CacheUse = Pick<CacheSplit, 'readTokens' | 'writeTokens'>;

/** Branches that are remembered; the ones unused for longest are forgotten. */
const MAX_BRANCHES = 8;

/** A cache that is still empty. */
export function createPrefixCache(rules: CacheRules): PrefixCache {
  const branches: Branch[] = [];
  let leftTokens = 0;
  return {
    send(prompt, startMs) {
      const sinceMs = startMs - rules.ttlMs;
      keepEntries(branches, ({ usedMs }) => usedMs >= sinceMs);
      compareBranches(branches, prompt);
      const request = { rules, branches, prompt, startMs };
      const split = readAtLeast(leftTokens, splitRequest(request), branches);
      leftTokens = 0;
      if (rules.kind !== 'none') keepRequest(branches, request);
      return split;
    },
    keepUpTo(tokens) {
      keepEntries(branches, (entry) => entry.tokens <= tokens);
      leftTokens = tokens;
    },
    refresh(startMs) {
      for (const { entries } of branches) useEntries(entries, startMs);
    },
  };
}

function keepEntries(branches: readonly Branch[], isKept: (entry: CacheEntry) => boolean): void {
  for (const branch of branches) branch.entries = branch.entries.filter(isKept);
}

function useEntries(entries: readonly CacheEntry[], usedMs: number): void {
  for (const entry of entries) entry.usedMs = usedMs;
}

/** A split of a request that reads what a provider had left of the beginning, wherever in it that ends. */
function readAtLeast(
  leftTokens: number,
  split: CacheSplit,
  branches: readonly Branch[],
): CacheSplit {
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
  const alike = request.branches.filter(isSameConversation);
  const last = alike[0];
  const entry = last?.entries.at(-1);
  const isCold =
    alike.every(({ entries }) => entries.length === 0) &&
    alike.some(({ keptBlocks }) => keptBlocks > 0);
  const lostTokens = Math.max(0, (entry?.tokens ?? 0) - (last?.shared.tokens ?? 0));
  const { readTokens, writeTokens } = useCache(request);
  const freshTokens = request.prompt.whole.tokens - readTokens - writeTokens;
  return { readTokens, writeTokens, freshTokens, lostTokens, isCold };
}

function isSameConversation({ shared }: Branch): boolean {
  return shared.length > 0;
}

function useCache(request: CacheRequest): CacheUse {
  const { kind } = request.rules;
  if (kind === 'none') return { readTokens: 0, writeTokens: 0 };
  return kind === 'breakpoints' ? useBreakpoints(request) : useAutomatically(request);
}

function useBreakpoints(request: CacheRequest): CacheUse {
  const { rules, branches, startMs } = request;
  const marks = countedMarks(request);
  const entry = findEntry(request, marks);
  for (const branch of entry ? branches : []) {
    const end = countShorter(branch, Math.min(entry?.length ?? 0, branch.shared.length) + 1);
    useEntries(branch.entries.slice(0, end), startMs);
  }
  const readTokens = entry?.tokens ?? 0;
  const markedTokens = marks.at(-1)?.tokens ?? 0;
  const writeTokens = markedTokens < rules.minimumTokens ? 0 : markedTokens - readTokens;
  return { readTokens, writeTokens };
}

function countedMarks({ prompt: { marks }, rules }: CacheRequest): readonly Prefix[] {
  const surplus = marks.length - rules.maxBreakpoints;
  return surplus > 0 ? marks.filter((_, index) => index === 0 || index > surplus) : marks;
}

function findEntry(request: CacheRequest, marks: readonly Prefix[]): CacheEntry | undefined {
  for (let index = marks.length - 1; index >= 0; index--) {
    const entry = findEntryNear(request, marks[index]?.length ?? 0);
    if (entry) return entry;
  }
  return undefined;
}

function findEntryNear({ branches, rules }: CacheRequest, mark: number): CacheEntry | undefined {
  let found: CacheEntry | undefined;
  for (const branch of branches) {
    const maxBlocks = Math.min(mark, branch.shared.length);
    const entry = branch.entries[countShorter(branch, maxBlocks + 1) - 1];
    const isNear = entry !== undefined && mark - entry.length <= rules.lookBackBlocks;
    if (isNear && entry.length > (found?.length ?? 0)) found = entry;
  }
  return found;
}

/** How many entries of a branch are shorter than that many blocks. */
function countShorter({ entries }: Branch, blockCount: number): number {
  return entries.findLastIndex(({ length }) => length < blockCount) + 1;
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

function liveShared(branches: readonly Branch[]): Prefix {
  let longest = NO_BLOCKS;
  for (const { entries, shared } of branches) {
    if (entries.length > 0 && shared.length > longest.length) longest = shared;
  }
  return longest;
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

function nearestBranch(branches: readonly Branch[]): Branch | undefined {
  let nearest = branches[0];
  for (const branch of branches) {
    if (nearest && branch.shared.length > nearest.shared.length) nearest = branch;
  }
  return nearest;
}

function forkOf(branch: Branch | undefined): Branch {
  if (branch === undefined) {
    return { whole: NO_BLOCKS, entries: [], keptBlocks: 0, shared: NO_BLOCKS };
  }
  const { keptBlocks, shared } = branch;
  const entries = branch.entries.slice(0, countShorter(branch, shared.length + 1));
  return {
    whole: NO_BLOCKS,
    entries: entries.map((entry) => ({ ...entry })),
    keptBlocks: keptBlocks > shared.length ? 0 : keptBlocks,
    shared,
  };
}

/** Keeps the whole prompt of a request, or nothing of one that is too short. */
function keepAutomatically(branch: Branch, { rules, startMs: usedMs }: CacheRequest): void {
  const { length, tokens: wholeTokens } = branch.whole;
  const tokens = cachedTokens(rules, wholeTokens);
  branch.entries = tokens > 0 ? [{ length, tokens, usedMs }] : [];
  branch.keptBlocks = tokens > 0 ? length : 0;
}

/** Keeps an entry at every mark that has enough before it, but for one that is there: it was used when the request was read. */
function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  const { rules, startMs: usedMs } = request;
  for (const { length, tokens } of countedMarks(request)) {
    const index = countShorter(branch, length);
    if (tokens < rules.minimumTokens || branch.entries[index]?.length === length) continue;
    branch.entries.splice(index, 0, { length, tokens, usedMs });
    branch.keptBlocks = branch.keptBlocks === 0 ? length : Math.min(branch.keptBlocks, length);
  }
}

function forgetBranches(branches: Branch[]): void {
  for (let index = branches.length - 1; index > 0; index--) {
    const branch = branches[index];
    const isDead = branch && isSameConversation(branch) && branch.entries.length === 0;
    if (isDead || index >= MAX_BRANCHES) branches.splice(index, 1);
  }
}
