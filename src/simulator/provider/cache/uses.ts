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
  return pieces(uses, 0, end);
}

/** The first entries are used once more; what has run out is not there to be used. */
export function useFirst(uses: readonly Use[], end: number, times: Times): readonly Use[] {
  if (end === 0) return uses;
  const { startMs, sinceMs } = times;
  const first = pieces(uses, 0, end).map((use) => ({
    end: use.end,
    usedMs: use.usedMs >= sinceMs ? startMs : RUN_OUT,
  }));
  return joined([...first, ...pieces(uses, end, Infinity)]);
}

/** An entry is used once more, whether it had run out or not. */
export function useOne(uses: readonly Use[], index: number, usedMs: number): readonly Use[] {
  return joined([
    ...pieces(uses, 0, index),
    { end: index + 1, usedMs },
    ...pieces(uses, index + 1, Infinity),
  ]);
}

/** An entry that is new comes in at an index. */
export function addUse(uses: readonly Use[], index: number, usedMs: number): readonly Use[] {
  const behind = pieces(uses, index, Infinity);
  return joined([
    ...pieces(uses, 0, index),
    { end: index + 1, usedMs },
    ...behind.map((use) => ({ ...use, end: use.end + 1 })),
  ]);
}

/** The uses of the entries between two indices. */
function pieces(uses: readonly Use[], from: number, to: number): readonly Use[] {
  const found: Use[] = [];
  let start = 0;
  for (const { end, usedMs } of uses) {
    const [pieceStart, pieceEnd] = [Math.max(start, from), Math.min(end, to)];
    if (pieceStart < pieceEnd) found.push({ end: pieceEnd, usedMs });
    start = end;
  }
  return found;
}

/** Neighbours with the same time as one. */
function joined(uses: readonly Use[]): readonly Use[] {
  return uses.filter(({ usedMs }, index) => uses[index + 1]?.usedMs !== usedMs);
}
