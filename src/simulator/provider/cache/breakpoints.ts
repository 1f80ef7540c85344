import { type Branch, type CacheEntry, countShorter, longestEntry } from './branch.ts';
import { addUse, useFirst, useOne } from './uses.ts';
import type { Prefix } from './prefix.ts';
import type { CacheRequest, CacheUse } from './request.ts';

/** What a provider that caches at marks reads and writes; the entries it reads are used once more. */
export function useBreakpoints(request: CacheRequest): CacheUse {
  const { rules } = request;
  const marks = countedMarks(request);
  const entry = findEntry(request, marks);
  if (entry) refreshEntries(request, entry.blockCount);
  const readTokens = entry?.tokens ?? 0;
  const markedTokens = marks.at(-1)?.tokens ?? 0;
  const writeTokens = markedTokens < rules.minimumTokens ? 0 : markedTokens - readTokens;
  return { readTokens, writeTokens };
}

/** Keeps an entry at every mark of a request that has enough before it. */
export function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  for (const mark of countedMarks(request)) keepEntry(branch, request, mark);
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

function findEntryNear(request: CacheRequest, mark: number): CacheEntry | undefined {
  const { branches, rules, sinceMs } = request;
  let found: CacheEntry | undefined;
  for (const branch of branches) {
    const maxBlocks = Math.min(mark, branch.shared.length);
    const entry = longestEntry(branch, { maxBlocks, sinceMs });
    const isNear = entry !== undefined && mark - entry.blockCount <= rules.lookBackBlocks;
    if (isNear && entry.blockCount > (found?.blockCount ?? 0)) found = entry;
  }
  return found;
}

function refreshEntries({ branches, startMs, sinceMs }: CacheRequest, readBlocks: number): void {
  for (const branch of branches) {
    const end = countShorter(branch, Math.min(readBlocks, branch.shared.length) + 1);
    branch.uses = useFirst(branch.uses, end, { startMs, sinceMs });
  }
}

function keepEntry(branch: Branch, request: CacheRequest, { length, tokens }: Prefix): void {
  const { entries } = branch;
  const index = countShorter(branch, length);
  if (entries[index]?.blockCount === length) {
    branch.uses = useOne(branch.uses, index, request.startMs);
    return;
  }
  if (tokens < request.rules.minimumTokens) return;
  entries.splice(index, 0, { blockCount: length, tokens });
  branch.uses = addUse(branch.uses, index, request.startMs);
}
