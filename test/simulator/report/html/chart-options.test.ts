import { describe, expect, it } from 'vitest';
import { drawChart } from '../../../../src/simulator/report/html/render-html.ts';
import { lookOf, toOption } from '../../../../src/simulator/report/html/chart-options.ts';
import type { Plot, PlotPoint } from '../../../../src/simulator/report/plots.ts';

const plane = (points: readonly PlotPoint[], unit: 'usd' | 'ms' | 'ratio' = 'usd'): Plot => ({
  kind: 'scatter',
  title: 'plane',
  axes: [
    { label: 'Across', unit },
    { label: 'Losses', unit: 'count' },
  ],
  points,
});

/** The words of a picture, in their order. */
function wordsOf(plot: Plot): readonly string[] {
  return [...drawChart(plot).matchAll(/<text[^>]*>([^<]*)</g)].map(([, words = '']) => words);
}

describe('lookOf', () => {
  it('tells forty series apart', () => {
    const looks = Array.from({ length: 40 }, (_, place) => JSON.stringify(lookOf(place)));
    expect(new Set(looks).size).toBe(40);
  });
});

describe('toOption', () => {
  it.each([
    ['usd', 2_000, '$2,000'],
    ['ms', 300_000, '300 s'],
    ['ratio', 0.5, '50 %'],
  ] as const)('has an axis of %s with its unit', (unit, value, words) => {
    const points = [0, value].map((one) => ({ name: 'one', values: [one, 1] }));
    expect(wordsOf(plane(points, unit))).toContain(words);
  });

  it('names points at one place once, together', () => {
    const words = wordsOf(
      plane([
        { name: 'one', values: [1, 2], mark: 'today' },
        { name: 'two', values: [1, 2] },
        { name: 'three', values: [2, 3] },
      ]),
    );
    expect(words).toContain('today: one = two');
    expect(words).not.toContain('two');
    expect(words).toContain('three');
  });

  it('draws what nobody can choose hollow, and leaves out points without a value', () => {
    const svg = drawChart(
      plane([
        { name: 'whole', values: [1, 2] },
        { name: 'broken', values: [2, 3], isHollow: true },
        { name: 'unknown', values: [null, 3] },
      ]),
    );
    expect(svg.match(/fill="var\(--card\)"[^>]*stroke="var\(--s1\)"/g)).toHaveLength(1);
    expect(svg).not.toContain('unknown');
  });

  it('marks compactions on the line of their run, and the usable line once', () => {
    const run = { usable: 40, context: [10, 50, 20], moments: [] };
    const option = JSON.stringify(
      toOption({
        kind: 'timeline',
        title: 'timeline',
        runs: [
          { ...run, name: 'one', moments: [[1, 'pivot', 'A compaction.']] },
          { ...run, name: 'two', isHollow: true },
        ],
      }),
    );
    expect(option).toContain('"coord":[2,50]');
    expect(option.match(/usable 40/g)).toHaveLength(1);
    expect(option).toContain('two (impossible)');
  });
});
