import { type Branch, type CacheEntry, countShorter, longestEntry } from './branch.ts';
import { addUse, useFirst } from './uses.ts';
import type { Prefix } from './prefix.ts';
import type { CacheRequest, CacheUse } from './request.ts';

/** What a provider that caches at marks reads and writes; the entries it reads are used once more. */
export function useBreakpoints(request: CacheRequest): CacheUse {
  const marks = countedMarks(request);
  const entry = findEntry(request, marks);
  if (entry) refreshEntries(request, entry.length);
  const readTokens = entry?.tokens ?? 0;
  const markedTokens = marks.at(-1)?.tokens ?? 0;
  const writeTokens = markedTokens < request.rules.minimumTokens ? 0 : markedTokens - readTokens;
  return { readTokens, writeTokens };
}

/** Keeps an entry at every mark of a request that has enough before it. */
export function keepAtBreakpoints(branch: Branch, request: CacheRequest): void {
  const { rules, startMs } = request;
  for (const mark of countedMarks(request)) {
    if (mark.tokens >= rules.minimumTokens) keepEntry(branch, mark, startMs);
  }
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
    const entry = longestEntry(branch, Math.min(mark, branch.shared.length));
    const isNear = entry !== undefined && mark - entry.length <= rules.lookBackBlocks;
    if (isNear && entry.length > (found?.length ?? 0)) found = entry;
  }
  return found;
}

function refreshEntries({ branches, startMs }: CacheRequest, readBlocks: number): void {
  for (const branch of branches) {
    const end = countShorter(branch, Math.min(readBlocks, branch.shared.length) + 1);
    useFirst(branch.uses, end, startMs);
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
