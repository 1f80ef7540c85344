import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUse,
  cutUses,
  type Use,
  useFirst,
  wasUsedBefore,
} from '../../../../src/simulator/provider/cache/uses.ts';

/** What happens to entries: the first of them are used, one comes in, or the rest of them goes. */
const changes = fc.array(
  fc.record({ what: fc.constantFrom('use', 'add', 'add', 'cut'), at: fc.nat({ max: 8 }) }),
  { minLength: 4, maxLength: 20 },
);

/** Times of single entries, neighbours with the same time as one. */
function usesOf(times: readonly number[]): readonly Use[] {
  return times.flatMap((usedMs, index) =>
    times[index + 1] === usedMs ? [] : [{ end: index + 1, usedMs }],
  );
}

describe('the uses of entries', () => {
  it('are what they come to where each entry has a time of its own', () => {
    fc.assert(
      fc.property(changes, (drafts) => {
        let uses: Use[] = [];
        let times: number[] = [];
        let mostUses = 0;
        let nowMs = 0;
        for (const { what, at } of drafts) {
          const index = Math.min(at, times.length);
          if (what === 'use') {
            nowMs += 1;
            useFirst(uses, index, nowMs);
            times.fill(nowMs, 0, index);
          } else if (what === 'add') {
            addUse(uses, index, nowMs);
            times.splice(index, 0, nowMs);
          } else {
            uses = cutUses(uses, index);
            times = times.slice(0, index);
          }
          expect(uses).toEqual(usesOf(times));
          const isOlder = times.some((usedMs) => usedMs < nowMs);
          expect(wasUsedBefore(uses, nowMs)).toBe(isOlder);
          mostUses = Math.max(mostUses, uses.length);
        }
        fc.pre(mostUses > 1);
      }),
      { numRuns: 500 },
    );
  });
});
