import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  costRatioPValue,
  geometricCostRatio,
  judgeDifference,
  pairedMeanDifference,
  pairMeans,
  ratioOfTotals,
} from '../../../../src/simulator/metrics/statistics/mean-difference.ts';

describe('pairedMeanDifference', () => {
  const options = { seed: 1, resamples: 2_000 };

  it('is what the second arm has more, around its mean', () => {
    const pairs = Array.from({ length: 12 }, (_, index) => ({ a: 1, b: index + 1 }));
    const { value, interval, pValue } = pairedMeanDifference(pairs, options)!;
    expect(value).toBe(5.5);
    expect(interval!.low).toBeGreaterThan(3);
    expect(interval!.low).toBeLessThan(4.5);
    expect(interval!.high).toBeGreaterThan(6.5);
    expect(interval!.high).toBeLessThan(8);
    expect(pValue).toBeLessThan(0.01);
  });

  it('is the same for the same seed, and another for another', () => {
    const pairs = [1, 5, 2, 9, 3, 8, 4, 7, 6, 2, 1].map((b) => ({ a: 0, b }));
    const [first, again, other] = [1, 1, 2].map((seed) =>
      pairedMeanDifference(pairs, { seed, resamples: 50 }),
    );
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('draws whole clusters: copies of a session make nothing more certain', () => {
    const clusters = Array.from({ length: 12 }, (_, index) => `session ${index}`);
    const alone = clusters.map((cluster, index) => ({ a: 0, b: index, cluster }));
    const copied = clusters.flatMap((cluster, index) =>
      Array.from({ length: 10 }, () => ({ a: 0, b: index, cluster })),
    );
    expect(pairedMeanDifference(copied, options)).toEqual(pairedMeanDifference(alone, options));
  });

  it.each([6, 12])('takes each of %d sessions for one, however often it was run', (sessions) => {
    const pairs = Array.from({ length: sessions }, (_, index) =>
      Array.from({ length: index === 0 ? 31 : 1 }, () => ({
        a: 0,
        b: index === 0 ? 1_200 : 0,
        cluster: `session ${index}`,
      })),
    ).flat();
    const { value, interval } = pairedMeanDifference(pairs, options)!;
    expect(value).toBeCloseTo(1_200 / sessions, 9);
    expect(pairMeans(pairs)).toEqual({ a: 0, b: value });
    expect(interval!.low).toBeLessThanOrEqual(value);
    expect(interval!.high).toBeGreaterThanOrEqual(value);
  });

  it('lies in its interval, whatever the pairs and their clusters', () => {
    const anySession = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ runs: 1, by: 0 }) },
      fc.record({
        runs: fc.integer({ min: 1, max: 60 }),
        by: fc.double({ min: -1e3, max: 1e3, noNaN: true }),
      }),
    );
    const rounding = 1e-9;
    fc.assert(
      fc.property(fc.array(anySession, { minLength: 2, maxLength: 15 }), (sessions) => {
        const pairs = sessions.flatMap(({ runs, by }, index) =>
          Array.from({ length: runs }, () => ({ a: 0, b: by, cluster: `session ${index}` })),
        );
        const { value, interval } = pairedMeanDifference(pairs, { seed: 1, resamples: 400 })!;
        expect(interval!.low).toBeLessThanOrEqual(value + rounding);
        expect(interval!.high).toBeGreaterThanOrEqual(value - rounding);
      }),
    );
  });

  it('is as certain of few sessions as Student’s t is, not as their resamples are', () => {
    const pairs = [1, 2, 3, 4, 5].map((b) => ({ a: 0, b }));
    const { interval, pValue } = pairedMeanDifference(pairs, options)!;
    expect(interval!.low).toBeCloseTo(1.036757, 4);
    expect(pValue).toBeCloseTo(0.013236, 5);
  });

  it.each<[what: string, differences: readonly number[], pValue: number]>([
    ['two sessions that differ by as much', [1, 1], 1 / 2],
    ['six', [2, 2, 2, 2, 2, 2], 1 / 32],
    ['six, of which one differs by more', [2, 2, 2, 2, 2, 3], 1 / 10_001],
    ['two that do not differ', [0, 0], 1],
  ])('is of %s at most as certain as their signs are', (_, differences, pValue) => {
    const pairs = differences.map((b) => ({ a: 0, b }));
    expect(pairedMeanDifference(pairs, { seed: 1 })?.pValue).toBeCloseTo(pValue, 4);
  });

  it('says nothing of one cluster, and is nothing of none', () => {
    expect(pairedMeanDifference([{ a: 1, b: 3 }], options)).toEqual({
      value: 2,
      interval: null,
      pValue: null,
    });
    expect(pairedMeanDifference([], options)).toBeUndefined();
  });
});

describe('geometricCostRatio', () => {
  it('is a half where every pair costs half', () => {
    const ratio = geometricCostRatio([1, 2, 40].map((a) => ({ a, b: a / 2 })))!;
    expect(ratio.value).toBeCloseTo(0.5, 5);
    expect(ratio.interval!.low).toBeCloseTo(0.5, 5);
    expect(ratio.interval!.high).toBeCloseTo(0.5, 5);
  });

  it('weighs a doubling and a halving alike, where the totals do not', () => {
    const pairs = [
      { a: 1, b: 2 },
      { a: 100, b: 50 },
    ];
    expect(geometricCostRatio(pairs)!.value).toBeCloseTo(1, 5);
    expect(ratioOfTotals(pairs, { seed: 1, resamples: 10 })!.value).toBeCloseTo(52 / 101, 12);
  });

  it('is known where a run is free', () => {
    expect(geometricCostRatio([{ a: 0, b: 0 }])!.value).toBe(1);
    expect(geometricCostRatio([{ a: 1, b: 0 }])!.value).toBeGreaterThan(0);
  });

  it('is the exponential of the t interval of the logarithms', () => {
    const pairs = [1, 2, 3, 4, 5].map((power) => ({ a: 1, b: Math.exp(power) }));
    const { low, high } = geometricCostRatio(pairs)!.interval!;
    expect(Math.log(low)).toBeCloseTo(1.036757, 4);
    expect(Math.log(high)).toBeCloseTo(4.963243, 4);
  });
});

describe('costRatioPValue', () => {
  it.each<[name: string, ratios: readonly number[], expected: number | null]>([
    ['nothing of no pair', [], null],
    ['nothing of one', [2], null],
    ['no more than a bootstrap of pairs that agree', [2, 2, 2], 1 / 10_001],
    ['nothing for a difference of equal costs', [1, 1, 1], 1],
  ])('says %s', (_, ratios, expected) => {
    expect(costRatioPValue(ratios.map((b) => ({ a: 1, b })))).toBe(expected);
  });
});

describe('judgeDifference', () => {
  const pairs = [1, 1, 1].map((a) => ({ a, b: 1.02 }));
  const interval = { low: 0.02, high: 0.02 };

  it('takes costs for equal whose ratio is near one, and no other amounts', () => {
    expect(judgeDifference('costUsd', pairs, interval)).toBe('equivalent');
    expect(judgeDifference('compactions', pairs, interval)).toBe('higher');
  });
});

/** Two runs of each of some sessions. */
const runTwice = (sessions: number) =>
  Array.from({ length: 2 * sessions }, (_, run) => ({
    a: 1 + (run % sessions),
    b: 2 + (run % 3),
    cluster: `session ${run % sessions}`,
  }));

describe('ratioOfTotals', () => {
  it('is unknown where the first arm is free', () => {
    expect(ratioOfTotals([{ a: 0, b: 1 }], { seed: 1 })).toBeUndefined();
  });

  it('has an interval from ten sessions on, however many runs they have', () => {
    expect(ratioOfTotals(runTwice(9), { seed: 1 })!.interval).toBeNull();
    const { value, interval } = ratioOfTotals(runTwice(10), { seed: 1 })!;
    expect(interval!.low).toBeLessThan(value);
    expect(interval!.high).toBeGreaterThan(value);
  });
});
