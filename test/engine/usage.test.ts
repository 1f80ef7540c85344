import { describe, expect, it } from 'vitest';
import { countAll, countTotal, countWithoutCacheWrite } from '../../src/engine/index.ts';
import { usage } from '../support/history.ts';

/** Each kind has a digit of its own, so that a sum tells what went into it. */
const spread = { input: 1, output: 20, reasoning: 300, cacheRead: 4_000, cacheWrite: 50_000 };

describe('countAll', () => {
  it('adds every kind but reasoning and never looks at the total', () => {
    expect(countAll(usage({ ...spread, total: 9 }))).toBe(54_021);
  });
});

describe('countWithoutCacheWrite', () => {
  it('adds input, cache reads and output, and never looks at the total', () => {
    expect(countWithoutCacheWrite(usage({ ...spread, total: 9 }))).toBe(4_021);
  });
});

describe('countTotal', () => {
  it.each<[string, number | undefined, number]>([
    ["takes the provider's total even if it is smaller than the parts", 9, 9],
    ['adds every kind but reasoning where the total is 0', 0, 54_021],
    ['adds every kind but reasoning where there is no total', undefined, 54_021],
  ])('%s', (_, total, expected) => {
    expect(countTotal(usage({ ...spread, ...(total === undefined ? {} : { total }) }))).toBe(
      expected,
    );
  });
});
