/** Entries in a row that the same request used last. */
export interface Use {
  /** How many entries there are up to the last of them. */
  end: number;
  /** The start of that request. */
  usedMs: number;
}

/** The uses of the first entries only. */
export function cutUses(uses: readonly Use[], end: number): Use[] {
  const cut: Use[] = [];
  for (const use of uses) addPiece(cut, Math.min(use.end, end), use.usedMs);
  return cut;
}

/** When the entry was used that was unused for longest. */
export function oldestUse(uses: readonly Use[]): number {
  let oldestMs = Infinity;
  for (const { usedMs } of uses) oldestMs = Math.min(oldestMs, usedMs);
  return oldestMs;
}

/** The first entries are used once more. */
export function useFirst(uses: Use[], end: number, usedMs: number): void {
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

/** An entry that is new comes in at an index. */
export function addUse(uses: Use[], index: number, usedMs: number): void {
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

/** Adds the use of the entries up to an end, those that have none yet; neighbours with the same time are one. */
function addPiece(uses: Use[], end: number, usedMs: number): void {
  const last = uses.at(-1);
  if (end <= (last?.end ?? 0)) return;
  if (last?.usedMs === usedMs) last.end = end;
  else uses.push({ end, usedMs });
}
