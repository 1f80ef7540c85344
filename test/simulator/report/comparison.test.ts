import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  type CostComparison,
  leftOutLines,
  metricRows,
  summaryLines,
} from '../../../src/simulator/report/comparison.ts';
import { textOf, untrusted } from '../../../src/simulator/report/document.ts';

const sessionsOf = (count: number, reason: string) =>
  Array.from({ length: count }, (_, index) => ({ session: `${reason} ${index}`, reason }));

describe('leftOutLines', () => {
  it('names every session where few have a reason in common', () => {
    expect(
      leftOutLines([...sessionsOf(1, 'refused'), ...sessionsOf(2, 'loop')]).map(textOf),
    ).toEqual(['refused 0: refused', 'loop 0: loop', 'loop 1: loop']);
  });

  it('counts the others where many have', () => {
    const mixed = [
      ...sessionsOf(4, 'loop'),
      ...sessionsOf(1, 'refused'),
      ...sessionsOf(200, 'loop'),
    ];
    const lines = leftOutLines(mixed);
    expect(lines).toHaveLength(7);
    expect(lines[4]).toEqual([untrusted('loop 0'), ': ', untrusted('loop')]);
    expect(lines.slice(5)).toEqual([
      ['199 other sessions: ', untrusted('loop')],
      [untrusted('refused 0'), ': ', untrusted('refused')],
    ]);
  });

  it('ends after some lines where every session has a reason of its own', () => {
    const own = Array.from({ length: 30 }, (_, index) => sessionsOf(1, `${index} tokens`)[0]!);
    const lines = leftOutLines([...own, ...sessionsOf(7, 'loop')]);
    expect(lines).toHaveLength(21);
    expect(textOf(lines[19]!)).toBe('19 tokens 0: 19 tokens');
    expect(lines[20]).toBe('17 other sessions, see JSON');
  });
});

type Compared = Comparison['metrics'][number];

/** A comparison of regret alone. */
function compareRegret(value: number, verdict: Compared['verdict']): Comparison {
  const metric: Compared = {
    name: 'regretUsd',
    label: 'Regret',
    unit: 'usd',
    pairs: 2,
    meanA: 1,
    meanB: 1 + value,
    difference: { value, interval: { low: value, high: value } },
    verdict,
    pValue: 0.001,
    effectSize: null,
  };
  return {
    a: 'one',
    b: 'other',
    model: 'lab/model',
    summarizer: 'extractive',
    origins: { a: { policies: [], settings: {} }, b: { policies: [], settings: {} } },
    mode: 'open-loop',
    seed: 1,
    pairs: 2,
    sessions: 2,
    families: 2,
    cost: null,
    metrics: [metric],
    mostDifferent: [],
    leftOut: [],
    failedRuns: 0,
    unread: [],
  };
}

describe('a verdict', () => {
  it.each<[number, Compared['verdict'], string]>([
    [-0.2, 'lower', 'lower, p 0.0010'],
    [-0.000_01, 'lower', 'lower by less than is shown, p 0.0010'],
    [0.000_01, 'higher', 'higher by less than is shown, p 0.0010'],
    [0.000_01, 'within noise', 'within noise, p 0.0010'],
  ])('on a difference of %s that is %s is told as %s', (value, verdict, expected) => {
    expect(metricRows(compareRegret(value, verdict))[0]!.at(-1)).toBe(expected);
  });
});

const certain = (low: number, high: number) => ({
  value: (low + high) / 2,
  interval: { low, high },
});

describe('the sentence about cost', () => {
  const cost = (
    verdict: CostComparison['verdict'],
    ratioOfTotals: CostComparison['ratioOfTotals'],
  ): Comparison => ({
    ...compareRegret(1, 'higher'),
    cost: { pairs: 2, geometricRatio: certain(0.9, 1.2), verdict, ratioOfTotals },
  });

  it.each<[CostComparison['verdict'], CostComparison['ratioOfTotals'], way: string | undefined]>([
    ['within noise', certain(1.1, 2), 'higher'],
    ['lower', certain(1.1, 2), 'higher'],
    ['equivalent', certain(0.5, 0.9), 'lower'],
    ['higher', certain(1.1, 2), undefined],
    ['lower', certain(0.5, 0.9), undefined],
    ['within noise', certain(1, 2), undefined],
    ['equivalent', certain(0.96, 0.999), undefined],
    ['equivalent', certain(0.94, 0.999), 'lower'],
    ['within noise', certain(0.5, 1), undefined],
    ['within noise', { value: 2, interval: null }, undefined],
    ['within noise', null, undefined],
  ])('with the verdict %s and totals of %j, has %s for the bill', (verdict, totals, way) => {
    const [line = ''] = summaryLines(cost(verdict, totals));
    const found = /The bill for all together is (\w+) under B all the same/.exec(line);
    expect(found?.[1]).toBe(way);
  });
});
