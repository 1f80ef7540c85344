import { describe, expect, it } from 'vitest';
import { pooledQuantile } from '../../../../src/simulator/metrics/statistics/pooled-quantile.ts';

const options = { seed: 1, resamples: 400 };
const clusters = (count: number, of: (index: number) => readonly number[]) =>
  Array.from({ length: count }, (_, index) => of(index));

describe('pooledQuantile', () => {
  it.each<[string, readonly (readonly number[])[], number, number]>([
    ['the middle of all numbers', [[1, 2], [3, 4], [5]], 0.5, 3],
    ['the largest at the end', [[1, 2], [3, 4], [5]], 1, 5],
    ['the smallest at the start', [[4], [2]], 0, 2],
    ['long clusters by all of their numbers', [[9, 9, 9, 9, 9], [1]], 0.5, 9],
  ])('is %s', (_, numbers, share, value) => {
    expect(pooledQuantile(numbers, share, options)?.value).toBe(value);
  });

  it('is absent without a number, and without an interval where few clusters have any', () => {
    expect(pooledQuantile([[], []], 0.5, options)).toBeUndefined();
    const few = clusters(30, (index) => (index < 9 ? [index] : []));
    expect(pooledQuantile(few, 0.5, options)?.interval).toBeNull();
  });

  it('has an interval as wide as the clusters differ', () => {
    const same = pooledQuantile(
      clusters(12, () => [1, 2, 3]),
      0.5,
      options,
    );
    expect(same?.interval).toEqual({ low: 2, high: 2 });
    const apart = pooledQuantile(
      clusters(12, (index) => [index, index]),
      0.5,
      options,
    );
    expect(apart!.interval!.low).toBeLessThan(4);
    expect(apart!.interval!.high).toBeGreaterThan(7);
  });
});
