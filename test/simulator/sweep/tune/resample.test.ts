import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSessions } from '../../../../src/simulator/sweep/tune/resample.ts';

/** As many sessions, the first the smallest. */
const sized = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ session: `s${index}`, size: index }));

describe('splitSessions', () => {
  it.each<[count: number, share: number, heldOut: number]>([
    [20, 0.3, 6],
    [20, 0.01, 2],
    [20, 0.99, 18],
    [4, 0.3, 2],
    [4, 0.9, 2],
    [3, 0.5, 0],
    [20, 0, 0],
  ])('holds out of %i sessions at a share of %d so many: %i', (count, share, heldOut) => {
    const split = splitSessions(sized(count), { share, seed: 1 });
    expect(split.heldOut).toHaveLength(heldOut);
    expect(split.tuning).toHaveLength(count - heldOut);
  });

  it('holds out one of each stretch of sizes, and never a session twice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 40 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.nat(),
        (count, share, seed) => {
          const { tuning, heldOut } = splitSessions(sized(count), { share, seed });
          const held = heldOut.flat().map((name) => Number(name.slice(1)));
          expect(new Set([...tuning.flat(), ...heldOut.flat()]).size).toBe(count);
          held.forEach((index, nth) => {
            const width = count / held.length;
            expect(index).toBeGreaterThanOrEqual(Math.floor(nth * width));
            expect(index).toBeLessThanOrEqual(Math.ceil((nth + 1) * width));
          });
        },
      ),
    );
  });

  it('orders sessions of one size by name, so that the order of files is nothing', () => {
    const sessions = ['d', 'b', 'a', 'c', 'f', 'e'].map((session) => ({ session, size: 7 }));
    const options = { share: 0.5, seed: 3 };
    expect(splitSessions(sessions, options)).toEqual(
      splitSessions(
        sessions.toSorted((a, b) => (a.session < b.session ? -1 : 1)),
        options,
      ),
    );
    expect(splitSessions(sessions, { share: 0, seed: 3 }).tuning.flat()).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ]);
  });
});
