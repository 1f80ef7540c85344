import { describe, expect, it } from 'vitest';
import {
  judgeTogether,
  type Tested,
} from '../../../../src/simulator/metrics/statistics/verdict.ts';

const lower = (pValue: number | null): Tested => ({ verdict: 'lower', pValue });

describe('judgeTogether', () => {
  it.each<[string, readonly Tested[], readonly Tested[]]>([
    ['one alone stays as it is', [lower(0.04)], [lower(0.04)]],
    [
      'what is certain alone is not among others',
      [lower(0.04), { verdict: 'equivalent', pValue: 0.9 }],
      [
        { verdict: 'within noise', pValue: 0.08 },
        { verdict: 'equivalent', pValue: 0.9 },
      ],
    ],
    [
      'what is certain enough stays a difference',
      [{ verdict: 'higher', pValue: 0.01 }, lower(0.04), lower(0.02)],
      [{ verdict: 'higher', pValue: 0.03 }, lower(0.04), lower(0.04)],
    ],
    [
      'what has no p-value is not counted, and keeps its verdict',
      [lower(null), lower(0.03), { verdict: 'lower' }],
      [lower(null), lower(0.03), { verdict: 'lower' }],
    ],
    ['no test is none', [], []],
  ])('%s', (_, tests, expected) => {
    expect(judgeTogether(tests)).toEqual(expected);
  });
});
