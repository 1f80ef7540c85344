import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import {
  type Interval,
  wilsonInterval,
} from '../../../../src/simulator/metrics/statistics/interval.ts';
import {
  geometricCostRatio,
  type Pair,
  pairedMeanDifference,
} from '../../../../src/simulator/metrics/statistics/mean-difference.ts';

const SAMPLES = 400;
const MANY_SAMPLES = 2_000;
const random = createRandom(5);
/** A number from the standard normal distribution, by Box and Muller. */
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** How often, in percent, the interval of a sample holds the truth. */
function coverage(truth: number, drawInterval: (sample: number) => Interval, samples = SAMPLES) {
  let held = 0;
  for (let sample = 0; sample < samples; sample++) {
    const { low, high } = drawInterval(sample);
    if (low <= truth && truth <= high) held += 1;
  }
  return (100 * held) / samples;
}

const draw = (size: number, drawPair: (index: number) => Pair) =>
  Array.from({ length: size }, (_, index) => drawPair(index));
const differenceInterval = (pairs: readonly Pair[], seed: number, resamples = 300) =>
  pairedMeanDifference(pairs, { seed, resamples })!.interval!;

/** Four observations of each of fifteen sessions. */
function drawClustered(): readonly Pair[] {
  const centres = draw(15, () => ({ a: 0, b: normal() })).map(({ b }) => b);
  return draw(60, (index) => ({
    a: 0,
    b: (centres[index % 15] ?? 0) + 0.2 * normal(),
    cluster: `session ${index % 15}`,
  }));
}

/** Bounds allow for what a few hundred samples vary by. */
describe('how often an interval of 95 % holds the truth', () => {
  it('nearly so for a mean difference of well-behaved pairs', () => {
    const held = coverage(2, (seed) =>
      differenceInterval(
        draw(40, () => ({ a: normal(), b: normal() + 2 })),
        seed,
      ),
    );
    expect(held).toBeGreaterThan(90);
    expect(held).toBeLessThan(98);
  });

  it('nearly so for six sessions', () => {
    const held = coverage(2, (seed) =>
      differenceInterval(
        draw(6, () => ({ a: normal(), b: normal() + 2 })),
        seed,
      ),
    );
    expect(held).toBeGreaterThan(91);
    expect(held).toBeLessThan(98);
  });

  it.each([10, 12, 15])(
    'as nearly for %d sessions, whose resamples vary too little',
    (sessions) => {
      const drawInterval = (seed: number) => {
        const pairs = draw(sessions, () => ({ a: normal(), b: normal() + 2 }));
        return differenceInterval(pairs, seed, 1_000);
      };
      const held = coverage(2, drawInterval, MANY_SAMPLES);
      expect(held).toBeGreaterThan(93);
      expect(held).toBeLessThan(97);
    },
  );

  it('too rarely for dollars with a long tail, which is why they are not compared so', () => {
    const meanOfLogNormal = Math.exp(2);
    const held = coverage(-meanOfLogNormal, (seed) =>
      differenceInterval(
        draw(20, () => ({ a: Math.exp(2 * normal()), b: 0 })),
        seed,
      ),
    );
    expect(held).toBeLessThan(85);
  });

  it('for the geometric cost ratio of the same pairs', () => {
    const held = coverage(0.5, () => {
      const pairs = draw(20, () => {
        const a = Math.exp(2 * normal());
        return { a, b: a * Math.exp(0.5 * normal() - Math.LN2) };
      });
      return geometricCostRatio(pairs)!.interval!;
    });
    expect(held).toBeGreaterThan(91);
    expect(held).toBeLessThan(98);
  });

  it('for clusters, but not where their members are taken for independent', () => {
    const clustered = coverage(0, (seed) => differenceInterval(drawClustered(), seed));
    const alone = coverage(0, (seed) =>
      differenceInterval(
        drawClustered().map(({ a, b }) => ({ a, b })),
        seed,
      ),
    );
    expect(clustered).toBeGreaterThan(86);
    expect(alone).toBeLessThan(75);
  });

  it.each([0.02, 0.1, 0.5])('for a rate of %d', (rate) => {
    const held = coverage(rate, () => {
      const hits = Array.from({ length: 50 }, random).filter((value) => value < rate).length;
      return wilsonInterval({ hits, of: 50 });
    });
    expect(held).toBeGreaterThan(90);
  });
});
