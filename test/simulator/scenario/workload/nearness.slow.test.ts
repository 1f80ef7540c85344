import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgePublished } from '../../../../src/simulator/metrics/published.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import { shareOf, valueAt } from '../../../../src/simulator/scenario/workload/draw.ts';
import {
  fitWorkload,
  nearestWorkload,
  toSpread,
  bendTo,
} from '../../../../src/simulator/scenario/workload/fit.ts';
import {
  compareNumbers,
  compareSamples,
  type Nearness,
} from '../../../../src/simulator/scenario/workload/nearness.ts';
import { findWorkload, type Spread } from '../../../../src/simulator/scenario/workload/workload.ts';
import { poolSamples } from '../../../../src/simulator/session/statistics/pool.ts';
import { distribute } from '../../../../src/simulator/session/statistics/distribution.ts';
import { generateSamples } from './sessions.ts';
import { shiftShare } from '../../../../src/simulator/scenario/workload/plan.ts';

/** Outputs of a tool below which its quantiles say little, generated and observed. */
const MANY = 250;
const OBSERVED = 20;
const MEDIAN_TOLERANCE = 0.1;
const P90_TOLERANCE = 0.2;
/** Rounding to quarters of a token. */
const QUARTER = 0.25;

describe.each([
  ['claude-code', 200],
  ['codex', 40],
  ['opencode', 60],
  ['pi', 40],
])('%s', (name, count) => {
  let outputs: readonly Nearness[] = [];

  beforeAll(() => {
    const workload = findWorkload(name);
    outputs = compareSamples(generateSamples(workload, count), workload).filter(
      ({ figure, n, workloadN }) =>
        figure === 'toolOutputTokens' ||
        (figure.startsWith('output ') && n >= MANY && (workloadN ?? 0) >= OBSERVED),
    );
  });

  it(`has outputs of the same sizes in ${count} sessions`, () => {
    expect(outputs.length).toBeGreaterThan(3);
    for (const { figure, p50, p90 } of outputs) {
      const off = (pair: typeof p50) => Math.abs(pair.generated - pair.workload!);
      expect(off(p50), `${figure} p50`).toBeLessThanOrEqual(
        MEDIAN_TOLERANCE * p50.workload! + QUARTER,
      );
      expect(off(p90), `${figure} p90`).toBeLessThanOrEqual(
        P90_TOLERANCE * p90.workload! + QUARTER,
      );
    }
  });

  it('has no output of a tool farther off than chance', () => {
    const far = outputs.filter(({ distance, chanceDistance }) => distance > chanceDistance);
    expect(
      far.map(({ figure }) => figure).filter((figure) => figure !== 'toolOutputTokens'),
    ).toEqual([]);
  });
});

describe('tracelab', () => {
  const workload = findWorkload('tracelab');
  const samples = generateSamples(workload, 120);

  it('comes near what was published', () => {
    const figures = compareSamples(samples, workload);
    const names = ['growthTokens', 'outputTokensPerStep', 'callsPerTurn', 'turnsPerSession'];
    const far = names.filter((name) => {
      const { distance } = figures.find(({ figure }) => figure === name)!;
      return distance > 0.06;
    });
    expect(far).toEqual([]);
  });

  it('compacts, shrinks and is cached as was published, in sessions as long', () => {
    const prices = readCatalog().models.get(workload.style.model)?.prices;
    const judged = judgePublished(samples, workload.published!, { seed: 1, prices });
    expect(judged.length).toBe(workload.published!.length);
    const outside = judged.filter(({ isWithin }) => isWithin === false);
    const held =
      /^(?:compactingSessions|shrinking|cacheRead|growth|requests|toolSteps|calls|waitsUpTo)/u;
    expect(outside.map(({ figure }) => figure).filter((figure) => held.test(figure))).toEqual([]);
    const prefix = judged.find(({ figure }) => figure === 'prefixTokens');
    expect(Math.abs(prefix!.generated!.value / prefix!.published.low - 1)).toBeLessThan(0.15);
  });
});

const rowOf = (figure: string, all: readonly Nearness[]) =>
  all.find((row) => row.figure === figure);

describe('what sessions do with their context', () => {
  const figures = [
    'compactionsPerSession',
    'cacheReadPercent',
    'repeatedReadPercent',
    'duplicateOutputPercent',
  ];
  const workload = findWorkload('claude-code');
  const samples = generateSamples(workload, 60);

  it.each(figures)('has a row for %s, of known quantiles', (figure) => {
    const row = rowOf(figure, compareSamples(samples, workload));
    expect(row?.workloadN).toBeGreaterThan(200);
    expect(row?.p90.workload).not.toBeNull();
  });

  it('counts the sessions that compact', () => {
    const { checks } = findWorkload('tracelab');
    const row = rowOf('compactionsPerSession', compareSamples(samples, { ...workload, checks }));
    const compacting = samples.filter(({ compactions }) => compactions.length > 0).length;
    expect(compacting).toBeGreaterThan(6);
    expect(row?.distance).toBeCloseTo(compacting / samples.length - 0.097, 6);
  });

  it.each(figures)('finds no distance of %s to what was fitted to the same', (figure) => {
    const own = fitWorkload(poolSamples(samples, 'chars4'), {
      name: 'own',
      describes: 'mine',
      base: workload,
      samples,
    });
    expect(rowOf(figure, compareSamples(samples, own))?.distance).toBeLessThan(0.02);
  });
});

describe("a workload of one's own", () => {
  const claude = findWorkload('claude-code');
  const samples = generateSamples(findWorkload('opencode'), 12, 7);
  const statistics = poolSamples(samples, 'chars4');
  const options = { name: 'fitted', describes: 'mine', base: claude, samples };
  const fitted = fitWorkload(statistics, options);

  it('gives sessions like those that it was fitted to', () => {
    const figures = compareSamples(generateSamples(fitted, 12, 8), fitted);
    const outputs = figures.filter(({ figure, n }) => figure.startsWith('output ') && n >= MANY);
    expect(outputs.length).toBeGreaterThan(1);
    expect(outputs.filter(({ distance }) => distance > 0.08)).toEqual([]);
  });

  it('has the tools of its sessions, and else what it was based on', () => {
    expect(Object.keys(fitted.tools)).toEqual(Object.keys(statistics.tools));
    expect([fitted.style, fitted.languages]).toEqual([claude.style, claude.languages]);
  });

  it('is based on what has most of its tools', () => {
    const others = ['codex', 'pi', 'opencode'].map(findWorkload);
    expect(nearestWorkload(statistics, [claude, ...others]).name).toBe('opencode');
    expect(nearestWorkload(poolSamples([], 'chars4'), [claude, ...others]).name).toBe(
      'claude-code',
    );
  });

  it('of no sessions is what it was based on', () => {
    const nothing = fitWorkload(poolSamples([], 'chars4'), { ...options, samples: [] });
    const { tools, context, sessions } = claude;
    expect(nothing).toMatchObject({ tools, context, sessions });
    expect(nothing.texts).toMatchObject({ userTokens: claude.texts.userTokens, textShare: 0 });
  });
});

describe('valueAt', () => {
  const spread: Spread = {
    points: [
      [0, 0],
      [0.1, 0],
      [0.5, 9],
      [1, 99],
    ],
  };

  it.each([
    [0, 0],
    [0.05, 0],
    [0.5, 9],
    [0.3, Math.sqrt(10) - 1],
    [0.75, Math.sqrt(1_000) - 1],
    [0.999_999_999, 99],
  ])('is at %f the value %f', (share, value) => {
    expect(valueAt(spread, share)).toBeCloseTo(value, 4);
  });

  it.each([0, 3, 9, 42, 99, 200])('is the other way round of shareOf at %d', (value) => {
    expect(valueAt(spread, Math.min(shareOf(spread, value), 1 - 1e-12))).toBeCloseTo(
      Math.min(value, 99),
      4,
    );
  });
});

function meanOf(of: Spread): number {
  const values = Array.from({ length: 10_000 }, (_, index) => valueAt(of, (index + 0.5) / 10_000));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('bendTo', () => {
  const spread: Spread = {
    points: [
      [0, 1],
      [0.5, 10],
      [1, 1_000],
    ],
  };
  it.each([80, 110, 150, 200])('gives the mean %d and leaves quantiles where they are', (mean) => {
    const bent = bendTo(spread, mean);
    expect(meanOf(bent) / mean).toBeCloseTo(1, 2);
    expect(valueAt(bent, 0.5)).toBeCloseTo(10, 6);
    expect(valueAt(bent, 1 - 1e-12)).toBeCloseTo(1_000, 4);
  });

  it.each([1, 9, 10, 400])('still tells the share of %d', (value) => {
    const bent = bendTo(spread, 150);
    expect(valueAt(bent, shareOf(bent, value))).toBeCloseTo(value, 6);
  });

  it('leaves alone what has the mean already', () => {
    expect(bendTo(spread, meanOf(spread))).toEqual(spread);
  });
});

describe('shiftShare', () => {
  it.each([
    [0.5, 0, 0.5],
    [0.5, Math.log(3), 0.75],
    [0.2, -Math.log(4), 1 / 17],
    [0, 5, 0],
  ])('brings %f by %f to %f', (share, shift, expected) => {
    expect(shiftShare(share, shift)).toBeCloseTo(expected, 12);
  });
});

describe('compareNumbers', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const spread = toSpread(distribute(numbers)!);

  it('finds no distance to themselves', () => {
    expect(compareNumbers('x', numbers, spread)).toMatchObject({
      n: 100,
      workloadN: 100,
      p50: { generated: 49.5 },
    });
    expect(compareNumbers('x', numbers, spread)!.p50.workload).toBeCloseTo(49.5, 6);
    expect(compareNumbers('x', numbers, spread)!.distance).toBeLessThan(0.02);
  });

  it('finds the largest distance where numbers lie elsewhere', () => {
    const { distance, chanceDistance } = compareNumbers(
      'x',
      numbers.map((number) => number + 25),
      spread,
    )!;
    expect(distance).toBeCloseTo(0.25, 1);
    expect(chanceDistance).toBeCloseTo(1.358 * Math.sqrt(2 / 100), 6);
  });

  it.each([
    [1, [1]],
    [0.1358 * Math.SQRT2, numbers],
  ])('takes a distance of %f for chance of few numbers, and never more than all', (chance, few) => {
    expect(compareNumbers('x', few, spread)!.chanceDistance).toBeCloseTo(chance, 6);
  });

  it('takes many equal numbers for any share between', () => {
    const equal: Spread = {
      points: [
        [0, 40],
        [0.5, 40],
        [0.9, 40],
      ],
    };
    expect(compareNumbers('x', [40, 40, 40], equal)).toMatchObject({
      distance: 0,
      workloadN: null,
    });
  });

  it('tells no quantile that the workload does not tell', () => {
    expect(compareNumbers('x', numbers, { points: [[0.5, 40]] })!.p90.workload).toBeNull();
  });

  it('says nothing of nothing', () => {
    expect(compareNumbers('x', [], spread)).toBeUndefined();
  });
});

it('sessions of Claude Code are as far off as the docs say', () => {
  const workload = findWorkload('claude-code');
  const all = compareSamples(generateSamples(workload, 60), workload);
  const far = all.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const names = far.map(({ figure }) => `\`${figure}\``);
  const { distance, chanceDistance } = all.find(({ figure }) => figure === 'toolOutputTokens')!;
  const path = join(import.meta.dirname, '../../../../docs/sessions.md');
  const page = readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ');
  expect(page).toContain(
    `${far.length} of ${all.length} figures are farther off than chance: ${names[0]} by little (a distance of ${distance.toFixed(3)} instead of ${chanceDistance.toFixed(3)}), ${names.slice(1, -1).join(', ')} and ${names.at(-1)}.`,
  );
});
