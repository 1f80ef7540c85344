import type { Use } from './branch.ts';

/** When a request starts, and since when an entry must have been used not to have run out. */
interface Times {
  readonly startMs: number;
  readonly sinceMs: number;
}

/** What has run out once stays so, whenever it was used. */
const RUN_OUT = -Infinity;

/** The uses of the first entries only. */
export function cutUses(uses: readonly Use[], end: number): readonly Use[] {
  const cut: Use[] = [];
  for (const use of uses) addPiece(cut, Math.min(use.end, end), use.usedMs);
  return cut;
}

/** The first entries are used once more; what has run out is not there to be used. */
export function useFirst(uses: readonly Use[], end: number, times: Times): readonly Use[] {
  if (end === 0) return uses;
  const { startMs, sinceMs } = times;
  const used: Use[] = [];
  for (const use of uses) {
    const usedMs = use.usedMs >= sinceMs ? startMs : RUN_OUT;
    addPiece(used, Math.min(use.end, end), usedMs);
    addPiece(used, use.end, use.usedMs);
  }
  return used;
}

/** An entry is used once more, whether it had run out or not. */
export function useOne(uses: readonly Use[], index: number, usedMs: number): readonly Use[] {
  if (uses.find(({ end }) => end > index)?.usedMs === usedMs) return uses;
  const used: Use[] = [];
  for (const use of uses) {
    addPiece(used, Math.min(use.end, index), use.usedMs);
    if (use.end > index) addPiece(used, index + 1, usedMs);
    addPiece(used, use.end, use.usedMs);
  }
  return used;
}

/** An entry that is new comes in at an index. */
export function addUse(uses: readonly Use[], index: number, usedMs: number): readonly Use[] {
  const used: Use[] = [];
  for (const use of uses) addPiece(used, Math.min(use.end, index), use.usedMs);
  addPiece(used, index + 1, usedMs);
  for (const use of uses) addPiece(used, use.end + 1, use.usedMs);
  return used;
}

/** Adds the use of the entries up to an end, those that have none yet; neighbours with the same time are one. */
function addPiece(uses: Use[], end: number, usedMs: number): void {
  const last = uses.at(-1);
  if (last !== undefined && last.end >= end) return;
  if (end <= 0) return;
  if (last?.usedMs === usedMs) uses[uses.length - 1] = { end, usedMs };
  else uses.push({ end, usedMs });
}
