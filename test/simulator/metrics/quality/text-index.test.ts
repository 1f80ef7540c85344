import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outside } from '../../../../src/simulator/metrics/quality/text-index.ts';

const anyPieces = fc.array(
  fc
    .record({ start: fc.nat(12), length: fc.nat(6) })
    .map(({ start, length }) => ({ place: { start, end: start + length } })),
  { maxLength: 5 },
);

describe('outside', () => {
  it('gives those that a look at all others finds in none', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(anyPieces, anyPieces, (pieces, others) => {
        const expected = pieces.filter(({ place: { start, end } }) => {
          const isIn = others.some(({ place }) => place.start <= start && end <= place.end);
          seen.add(isIn);
          return !isIn;
        });
        expect(outside(pieces, others)).toEqual(expected);
      }),
    );
    expect(seen.size).toBe(2);
  });
});
