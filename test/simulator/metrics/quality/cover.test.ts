import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { coverOf } from '../../../../src/simulator/metrics/quality/text/cover.ts';
import { isWithin } from '../../../../src/simulator/metrics/quality/text/text-index.ts';

const anyPiece = fc
  .record({ start: fc.nat(12), length: fc.nat(6) })
  .map(({ start, length }) => ({ start, end: start + length }));

describe('coverOf', () => {
  it('tells what a look at all of them tells', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(anyPiece, fc.array(anyPiece, { maxLength: 5 }), (piece, others) => {
        const expected = others.some((other) => isWithin(piece, other));
        seen.add(expected);
        expect(coverOf(others)(piece)).toBe(expected);
      }),
    );
    expect(seen.size).toBe(2);
  });
});
