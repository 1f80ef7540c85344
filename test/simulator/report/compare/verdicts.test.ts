import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../../../src/simulator/report/compare/comparison.ts';
import { metricRows } from '../../../../src/simulator/report/compare/lines.ts';

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
