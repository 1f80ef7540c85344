import { describe, expect, it } from 'vitest';
import { toPageOfComparison } from '../../../../src/simulator/report/html/page-of-comparison.ts';
import { HOSTILE_NAME, sampleComparison } from '../../../support/sample-comparison.ts';

describe('toPageOfComparison', () => {
  const page = toPageOfComparison(sampleComparison);

  it('begins with the verdict on cost, and has all metrics that differ', () => {
    expect(page.notes[0]).toMatch(/^Cost: B is cheaper\./);
    const [metrics, sessions] = page.tables ?? [];
    expect(metrics?.rows.map(([name]) => name)).toEqual(['Cost', 'Hit rate, after user']);
    expect(metrics?.columns.slice(0, 4).map(({ isNumber }) => isNumber)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(sessions?.rows.map(([name]) => name)).toEqual([HOSTILE_NAME]);
    expect(page.lists).toEqual([{ title: 'Left out', lines: ['b.json: only in A'] }]);
  });

  it('draws what was named before as shares of A, so that amounts of several units stand side by side', () => {
    const drawn = { name: 'Cost', value: -0.5, low: -0.75, high: -0.25, sessions: 12 };
    expect(page.bars?.map(({ unit, bars }) => ({ unit, bars }))).toEqual([
      { unit: 'ratio', bars: [drawn] },
    ]);
  });

  it('draws no share of nothing, and no interval where there is none', () => {
    const [cost] = sampleComparison.metrics;
    const nothing = { ...cost!, meanA: 0 };
    const few = { ...cost!, difference: { value: 1, interval: null } };
    expect(toPageOfComparison({ ...sampleComparison, metrics: [nothing] }).bars).toEqual([]);
    const [chart] = toPageOfComparison({ ...sampleComparison, metrics: [few] }).bars ?? [];
    expect(chart?.bars).toMatchObject([{ value: 0.5, low: null, high: null }]);
  });
});
