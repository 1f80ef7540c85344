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

type CacheEntry = Pick<Prefix, 'length' | 'tokens'>;

/** A chain of requests of which each extends the one before it. */
interface Branch {
  whole: Prefix;
  /** Those that have not run out, shortest first. */
  entries: CacheEntry[];
  uses: Use[];
  /** How many blocks the shortest entry has that it ever had; 0 where it never had any. */
  keptBlocks: number;
  /** The prefix that the newest request shares with the branch. */
  shared: Prefix;
}

/** Entries in a row that the same request used last. */
interface Use {
  end: number;
  usedMs: number;
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
  return {
    send(prompt, startMs) {
      const sinceMs = startMs - rules.ttlMs;
      for (const branch of branches) {
        if (branch.uses.some(({ usedMs }) => usedMs < sinceMs)) forgetEntries(branch, sinceMs);
      }
      compareBranches(branches, prompt);
      const request = { rules, branches, prompt, startMs };
      const split = readAtLeast(leftTokens, splitRequest(request), branches);
      leftTokens = 0;
      if (rules.kind !== 'none') keepRequest(branches, request);
      return split;
    },
    keepUpTo(tokens) {
      for (const branch of branches) forgetLonger(branch, tokens);
      leftTokens = tokens;
    },
    refresh(startMs) {
      for (const { uses, entries } of branches) useFirst(uses, entries.length, startMs);
    },
  };
}

function cutUses(uses: readonly Use[], end: number): Use[] {
  const cut: Use[] = [];
  for (const use of uses) addPiece(cut, Math.min(use.end, end), use.usedMs);
  return cut;
}

function useFirst(uses: Use[], end: number, usedMs: number): void {
  const first = uses[0];
  if (first === undefined || end === 0) return;
  if (first.end > end) {
    uses.unshift({ end, usedMs });
    return;
  }
  while ((uses[1]?.end ?? Infinity) <= end) uses.splice(1, 1);
  first.end = end;
  first.usedMs = usedMs;
}

function addUse(uses: Use[], index: number, usedMs: number): void {
  const last = uses.at(-1);
  if (last === undefined || last.end === index) {
    addPiece(uses, index + 1, usedMs);
    return;
  }
  const before = uses.splice(0);
  for (const use of before) addPiece(uses, Math.min(use.end, index), use.usedMs);
  addPiece(uses, index + 1, usedMs);
  for (const use of before) addPiece(uses, use.end + 1, use.usedMs);
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

function forgetLonger(branch: Branch, tokens: number): void {
  const end = branch.entries.findIndex((entry) => entry.tokens > tokens);
  if (end < 0) return;
  branch.entries = branch.entries.slice(0, end);
  branch.uses = cutUses(branch.uses, end);
}

function forgetEntries(branch: Branch, sinceMs: number): void {
  const { entries, uses } = branch;
  branch.entries = [];
  branch.uses = [];
  let start = 0;
  for (const { end, usedMs } of uses) {
    if (usedMs >= sinceMs) {
      branch.entries.push(...entries.slice(start, end));
      branch.uses.push({ end: branch.entries.length, usedMs });
    }
    start = end;
  }
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
    if (maxBlocks <= (found?.length ?? 0)) continue;
    const entry = longestEntry(branch, maxBlocks);
    const isNear = entry !== undefined && mark - entry.length <= rules.lookBackBlocks;
    if (isNear && entry.length > (found?.length ?? 0)) found = entry;
  }
  return found;
}

function longestEntry(branch: Branch, maxBlocks: number): CacheEntry | undefined {
  const count = countShorter(branch, maxBlocks + 1);
  return count === 0 ? undefined : branch.entries[count - 1];
}

/** How many entries of a branch are shorter than that many blocks. */
function countShorter({ entries }: Branch, blockCount: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.length ?? 0) < blockCount) low = middle + 1;
    else high = middle;
  }
  return low;
}

function refreshEntries({ branches, startMs }: CacheRequest, readBlocks: number): void {
  for (const branch of branches) {
    const end = countShorter(branch, Math.min(readBlocks, branch.shared.length) + 1);
    useFirst(branch.uses, end, startMs);
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
  if (branch === undefined)
    return { whole: NO_BLOCKS, entries: [], uses: [], keptBlocks: 0, shared: NO_BLOCKS };
  const { entries, uses, keptBlocks, shared } = branch;
  const end = countShorter(branch, shared.length + 1);
  return {
    whole: NO_BLOCKS,
    entries: entries.slice(0, end),
    uses: cutUses(uses, end),
    keptBlocks: keptBlocks > shared.length ? 0 : keptBlocks,
    shared,
  };
}

function keepAutomatically(branch: Branch, { rules, startMs }: CacheRequest): void {
  const { length, tokens } = branch.whole;
  const kept = cachedTokens(rules, tokens);
  branch.entries = kept > 0 ? [{ length, tokens: kept }] : [];
  branch.uses = kept > 0 ? [{ end: 1, usedMs: startMs }] : [];
  branch.keptBlocks = kept > 0 ? length : 0;
}

function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  const { rules, startMs } = request;
  for (const mark of countedMarks(request)) {
    if (mark.tokens >= rules.minimumTokens) keepEntry(branch, mark, startMs);
  }
}

/** One that is there already was used when the request was read: no entry near a later mark is shorter. */
function keepEntry(branch: Branch, mark: Prefix, startMs: number): void {
  const { entries, uses, keptBlocks } = branch;
  const { length } = mark;
  const index = countShorter(branch, length);
  if (entries[index]?.length === length) return;
  if (index === entries.length) entries.push(mark);
  else entries.splice(index, 0, mark);
  addUse(uses, index, startMs);
  branch.keptBlocks = keptBlocks === 0 ? length : Math.min(keptBlocks, length);
}

function forgetBranches(branches: Branch[]): void {
  for (let index = branches.length - 1; index > 0; index--) {
    const branch = branches[index];
    const isDead = branch && branch.shared.length > 0 && branch.entries.length === 0;
    if (isDead || index >= MAX_BRANCHES) branches.splice(index, 1);
  }
}

/** Adds the use of the entries up to an end, those that have none yet; neighbours with the same time are one. */
function addPiece(uses: Use[], end: number, usedMs: number): void {
  const last = uses.at(-1);
  if (end <= (last?.end ?? 0)) return;
  if (last?.usedMs === usedMs) last.end = end;
  else uses.push({ end, usedMs });
}
