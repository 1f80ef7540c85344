import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import {
  CONFIDENCE,
  normalQuantile,
  percentileInterval,
  ruleOfThree,
  tInterval,
  tPValue,
  tQuantile,
  wilsonInterval,
} from '../../../../src/simulator/metrics/statistics/interval.ts';
import {
  bootstrapMeans,
  bootstrapPValue,
} from '../../../../src/simulator/metrics/statistics/mean-difference.ts';
import {
  adjustByHolm,
  countOutcomes,
  judge,
  probabilityOfSuperiority,
  SAME_AMOUNT,
  SAME_COST,
  SAME_RETENTION,
  standardisedDifference,
  type Verdict,
} from '../../../../src/simulator/metrics/statistics/verdict.ts';

describe('quantiles', () => {
  it.each([
    [0.5, 0],
    [0.8, 0.841621],
    [0.975, 1.959964],
    [0.995, 2.575829],
  ])('of the normal distribution at %d', (share, z) => {
    expect(normalQuantile(share)).toBeCloseTo(z, 5);
  });

  it.each([
    [1, 12.7062],
    [2, 4.302653],
    [3, 3.182446],
    [4, 2.776445],
    [9, 2.262157],
    [30, 2.042272],
    [1_000, 1.962339],
  ])('of Student’s t with %d degrees of freedom, at 97.5 %%', (degrees, t) => {
    expect(tQuantile(0.975, degrees)).toBeCloseTo(t, 4);
  });
});

describe('tInterval', () => {
  it('is the one of a textbook: 1 to 5', () => {
    const { low, high } = tInterval([1, 2, 3, 4, 5])!;
    expect(low).toBeCloseTo(1.036757, 4);
    expect(high).toBeCloseTo(4.963243, 4);
  });

  it('is none of a single value', () => {
    expect(tInterval([1])).toBeNull();
  });

  it('has the p-value of a textbook: t of 4.2426 with 4 degrees of freedom', () => {
    expect(tPValue([1, 2, 3, 4, 5])).toBeCloseTo(0.013236, 5);
    expect([tPValue([0, 0]), tPValue([2, 2])]).toEqual([1, 0]);
  });
});

describe('wilsonInterval', () => {
  it.each([
    [0, 10, 0, 0.277533],
    [5, 10, 0.236593, 0.763407],
    [10, 10, 0.722467, 1],
    [15, 50, 0.191029, 0.437513],
    [0, 0, 0, 1],
  ])('%d of %d', (hits, of, low, high) => {
    const interval = wilsonInterval({ hits, of });
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

describe('ruleOfThree', () => {
  it.each([
    [300, 0.01],
    [3, 1],
    [1, 1],
    [0, 1],
  ])('of %d trials', (trials, rate) => {
    expect(ruleOfThree(trials)).toBeCloseTo(rate, 12);
  });
});

describe('adjustByHolm', () => {
  it.each([
    [
      [0.01, 0.04, 0.03],
      [0.03, 0.06, 0.06],
    ],
    [[0.2], [0.2]],
    [
      [0.9, 0.8],
      [1, 1],
    ],
    [[], []],
  ])('%j', (pValues, adjusted) => {
    expect(adjustByHolm(pValues)).toEqual(adjusted.map((p) => expect.closeTo(p, 12)));
  });
});

describe('bootstrapPValue', () => {
  const MANY = 100_001;
  it.each<[string, number[], number]>([
    ['never 0', Array<number>(99).fill(1), 0.02],
    ['the same on the other side', Array<number>(99).fill(-1), 0.02],
    ['never above 1, where both sides are alike', [-1, 1], 1],
    ['1 where there is no difference', [0, 0, 0], 1],
  ])('is %s', (_, resampled, p) => {
    expect(bootstrapPValue(resampled, MANY)).toBeCloseTo(p, 4);
  });

  it('is below what an interval leaves out just where the interval lies on one side', () => {
    const random = createRandom(3);
    const deviations = Array.from({ length: 1_999 }, () => random() + random() + random() - 1.5);
    for (const observations of [10, 12, 30, 200]) {
      for (const centre of [0.6, 0.8, 0.9, 1, 1.1, 1.2]) {
        const resampled = deviations.map((deviation) => centre + deviation);
        const { low } = percentileInterval(resampled, observations);
        // Between two resamples either may be right.
        if (Math.abs(low) < 0.01) continue;
        expect(bootstrapPValue(resampled, observations) < 1 - CONFIDENCE).toBe(low > 0);
      }
    }
  });
});

describe('percentileInterval', () => {
  const resampled = Array.from({ length: 10_001 }, (_, index) => index / 10_000);

  // From a table of Student's t (2.262157, 2.200985, 2.045230, 1.962341) times the root of n / (n - 1): what a normal has below.
  it.each([
    [10, 0.008551],
    [12, 0.010757],
    [30, 0.018754],
    [1_000, 0.024804],
  ])('of %d observations leaves out as much as Student’s t has to', (observations, tail) => {
    const { low, high } = percentileInterval(resampled, observations);
    expect(low).toBeCloseTo(tail, 4);
    expect(high).toBeCloseTo(1 - tail, 4);
  });
});

describe('effect sizes', () => {
  const differences = [-1, 0, 1, 2, 3];

  it('is the mean difference in standard deviations', () => {
    expect(standardisedDifference(differences)).toBeCloseTo(1 / Math.sqrt(2.5), 12);
    expect(standardisedDifference([1, 1, 1])).toBeNull();
    expect(standardisedDifference([])).toBeNull();
  });

  it.each([0.1 + 0.2 - 0.3, 0.3 - 0.1 - 0.2])('counts %s, which is rounding, as a tie', (noise) => {
    expect(countOutcomes([noise], 'lower')).toEqual({ wins: 0, losses: 0, ties: 1 });
  });

  it('counts ties as half a win', () => {
    const higher = countOutcomes(differences, 'higher');
    expect(higher).toEqual({ wins: 3, losses: 1, ties: 1 });
    expect(countOutcomes(differences, 'lower')).toEqual({ wins: 1, losses: 3, ties: 1 });
    expect(probabilityOfSuperiority(higher)).toBeCloseTo(0.7, 12);
    expect(probabilityOfSuperiority(countOutcomes([], 'lower'))).toBeNull();
  });
});

describe('judge', () => {
  it.each<[number, number, Verdict]>([
    [0.9, 0.94, 'lower'],
    [0.9, 0.97, 'lower'],
    [0.96, 0.99, 'equivalent'],
    [0.95, 1.05, 'equivalent'],
    [0.9, 1.01, 'within noise'],
    [1.01, 1.2, 'higher'],
    [0.5, 2, 'within noise'],
    [0.96, Number.POSITIVE_INFINITY, 'within noise'],
    [1.01, Number.POSITIVE_INFINITY, 'higher'],
  ])('a cost ratio from %d to %d is %s', (low, high, verdict) => {
    expect(judge({ low, high }, SAME_COST)).toBe(verdict);
  });

  it('takes what rounding makes of an end for that end', () => {
    expect(judge({ low: 0.9 - 0.88, high: 0.92 - 0.9 }, SAME_RETENTION)).toBe('equivalent');
    expect(judge({ low: 0.88 - 0.9, high: 0.9 - 0.92 }, SAME_RETENTION)).toBe('equivalent');
    expect(judge({ low: 0.01, high: 0.0201 }, SAME_RETENTION)).toBe('higher');
    expect(judge({ low: 0.1 + 0.2 - 0.3, high: 1 }, SAME_AMOUNT)).toBe('within noise');
    expect(judge({ low: -1, high: 0.3 - (0.1 + 0.2) }, SAME_AMOUNT)).toBe('within noise');
  });

  it('knows no region of equivalence for an amount but the amount itself', () => {
    expect(judge({ low: 0, high: 0 }, SAME_AMOUNT)).toBe('equivalent');
    expect(judge({ low: 0, high: 1 }, SAME_AMOUNT)).toBe('within noise');
    expect(judge(null, SAME_AMOUNT)).toBe('too few');
  });
});

describe('bootstrapMeans', () => {
  it('has the spread of a mean: that of a value over the root of their number', () => {
    const means = bootstrapMeans(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? -1 : 1)),
      { seed: 1, resamples: 4_000 },
    );
    const spread = Math.sqrt(means.reduce((sum, mean) => sum + mean ** 2, 0) / means.length);
    expect(spread).toBeCloseTo(0.1, 2);
  });
});
