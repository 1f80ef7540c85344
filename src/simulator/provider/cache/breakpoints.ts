import { type Branch, type CacheEntry, countShorter, longestEntry } from './branch.ts';
import { addUse, useFirst, useOne } from './uses.ts';
import { type CacheRequest, type CacheUse, tokensBefore } from './request.ts';

/** What a provider that caches at marks reads and writes; the entries it reads are used once more. */
export function useBreakpoints(request: CacheRequest): CacheUse {
  const { rules } = request;
  const marks = countedMarks(request);
  const entry = findEntry(request, marks);
  if (entry) refreshEntries(request, entry.blockCount);
  const readTokens = entry?.tokens ?? 0;
  const markedTokens = tokensBefore(request, marks.at(-1) ?? 0);
  const writeTokens = markedTokens < rules.minimumTokens ? 0 : markedTokens - readTokens;
  return { readTokens, writeTokens };
}

/** Keeps an entry at every mark of a request that has enough before it. */
export function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  for (const mark of countedMarks(request)) keepEntry(branch, request, mark);
}

/** The first mark, which is behind system prompt and tools, and the last ones. */
function countedMarks({ prompt, rules }: CacheRequest): readonly number[] {
  const { breakpoints } = prompt;
  const surplus = breakpoints.length - rules.maxBreakpoints;
  return surplus > 0
    ? breakpoints.filter((_, index) => index === 0 || index > surplus)
    : breakpoints;
}

function findEntry(request: CacheRequest, marks: readonly number[]): CacheEntry | undefined {
  for (const mark of marks.toReversed()) {
    const entry = findEntryNear(request, mark);
    if (entry) return entry;
  }
  return undefined;
}

function findEntryNear(request: CacheRequest, mark: number): CacheEntry | undefined {
  const { branches, rules, sinceMs } = request;
  let found: CacheEntry | undefined;
  for (const branch of branches) {
    const maxBlocks = Math.min(mark, branch.sharedBlocks);
    const entry = longestEntry(branch, { maxBlocks, sinceMs });
    const isNear = entry !== undefined && mark - entry.blockCount <= rules.lookBackBlocks;
    if (isNear && entry.blockCount > (found?.blockCount ?? 0)) found = entry;
  }
  return found;
}

function refreshEntries({ branches, startMs, sinceMs }: CacheRequest, readBlocks: number): void {
  for (const branch of branches) {
    const end = countShorter(branch, Math.min(readBlocks, branch.sharedBlocks) + 1);
    branch.uses = useFirst(branch.uses, end, { startMs, sinceMs });
  }
}

function keepEntry(branch: Branch, request: CacheRequest, mark: number): void {
  const { entries } = branch;
  const index = countShorter(branch, mark);
  if (entries[index]?.blockCount === mark) {
    branch.uses = useOne(branch.uses, index, request.startMs);
    return;
  }
  const tokens = tokensBefore(request, mark);
  if (tokens < request.rules.minimumTokens) return;
  entries.splice(index, 0, { blockCount: mark, tokens });
  branch.uses = addUse(branch.uses, index, request.startMs);
}
