import { describe, expect, it } from 'vitest';
import { describeLost } from '../../../src/simulator/report/lost.ts';
import { totalPolicies } from '../../../src/simulator/report/totals.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';

const lostBy = (metrics: Partial<typeof sampleMetrics>) =>
  describeLost(totalPolicies([sampleRun({ metrics: { ...sampleMetrics, ...metrics } })]));

describe('what is no longer visible', () => {
  it('is said in one sentence', () => {
    expect(lostBy({})).toEqual([
      'No longer visible at the end under opencode-1.2.16: 12 of 14 user constraints, 41 % of 100 paths.',
    ]);
  });

  it.each([
    ['nothing is gone', { goneConstraints: 0, gonePaths: 0 }],
    ['it is unknown', { goneConstraints: null, gonePaths: null }],
  ])('is not said where %s', (_, metrics) => {
    expect(lostBy(metrics)).toEqual([]);
  });
});
