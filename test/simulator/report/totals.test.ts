import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { totalPolicies } from '../../../src/simulator/report/totals.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';

describe('totalPolicies', () => {
  it('gives nothing for nothing', () => {
    expect(totalPolicies([])).toEqual([]);
  });

  it('adds what can be added, and takes the largest context', () => {
    const small = { ...sampleMetrics, steps: 1, peakContextTokens: 5, finalContextTokens: 4 };
    const [total] = totalPolicies([sampleRun({ metrics: small }), sampleRun()]);
    expect(total?.metrics).toMatchObject({
      steps: 226,
      inputTokens: 12_000_000,
      tokensSaved: 7_392_000,
      peakContextTokens: 168_004,
      finalContextTokens: 90_001,
    });
  });

  it('counts only runs that completed', () => {
    const runs = [sampleRun(), sampleRun({ state: 'refused' })];
    expect(totalPolicies(runs)).toEqual([
      { policy: 'opencode-1.2.16', runs: 2, completedRuns: 1, metrics: sampleMetrics },
    ]);
  });

  it('knows nothing where no run completed', () => {
    const [total] = totalPolicies([sampleRun({ state: 'failed' })]);
    expect(total?.metrics).toEqual(UNKNOWN_METRICS);
  });

  it('never adds up an open and a closed loop', () => {
    const runs = [sampleRun(), sampleRun({ mode: 'closed-loop' })];
    expect(() => totalPolicies(runs)).toThrow('to be all open loop or all closed loop');
  });

  it('does not know what is unknown for one run', () => {
    const unknown = sampleRun({ metrics: { ...sampleMetrics, prunes: null } });
    const [total] = totalPolicies([sampleRun(), unknown]);
    expect(total?.metrics).toMatchObject({ prunes: null, steps: 450 });
  });

  it('keeps policies apart, in the order of first appearance', () => {
    const runs = ['b', 'a', 'b'].map((policy) => sampleRun({ policy }));
    expect(totalPolicies(runs).map(({ policy, runs: count }) => [policy, count])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });
});
