import { describe, expect, it } from 'vitest';
import { isAsExpected } from './vector.ts';

describe('isAsExpected', () => {
  it.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, 2, false],
    [null, null, true],
    [undefined, null, true],
    [0, null, false],
    [['a', 'b'], ['a', 'b'], true],
    [['b', 'a'], ['a', 'b'], false],
    [['a', 'b'], ['a'], false],
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { a: 1, b: null }, true],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2 } }, true],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, false],
    [null, { a: 1 }, false],
    [{ a: 1 }, null, false],
    [[], {}, false],
  ])('%j for %j: %s', (got, expected, result) => {
    expect(isAsExpected(got, expected)).toBe(result);
  });
});
