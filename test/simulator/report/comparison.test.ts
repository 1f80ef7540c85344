import { describe, expect, it } from 'vitest';
import {
  type Comparison,
  leftOutLines,
  metricRows,
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

describe('the row of a metric', () => {
  it.each<Compared['verdict']>(['lower', 'higher', 'within noise'])(
    'has a p-value and no opinion of its own where the difference is %s',
    (verdict) => {
      const [row = []] = metricRows(compareRegret(-0.2, verdict));
      expect(row.at(-1)).toBe('0.0010');
      expect(row.join(' ')).not.toMatch(/lower|higher|noise/);
    },
  );

  it('is called by its label where that says more than the metric', () => {
    const { metrics, ...rest } = compareRegret(-0.2, 'lower');
    const label = 'Cost, re-reads included';
    const named = { ...rest, metrics: metrics.map((one) => ({ ...one, name: 'costUsd', label })) };
    expect(metricRows(named)[0]?.[0]).toBe(label);
  });
});
