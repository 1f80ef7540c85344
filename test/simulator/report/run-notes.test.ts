import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { countBaselines, describeBaselines } from '../../../src/simulator/report/origin.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';
import { totalPolicies } from '../../../src/simulator/report/runs.ts';

describe('the baselines of savings', () => {
  const runOf = (session: string, baseline?: 'recorded' | 'none') =>
    sampleRun({
      session,
      ...(baseline && { baseline }),
      metrics: { ...sampleMetrics, tokensSaved: baseline === undefined ? null : 1 },
    });

  it('are counted by session, whichever of its runs has one', () => {
    const impossible = sampleRun({
      session: 'a',
      impossible: 'too large',
      metrics: UNKNOWN_METRICS,
    });
    const runs = [impossible, runOf('a', 'recorded'), runOf('b', 'none'), runOf('c'), runOf('c')];
    expect(countBaselines(runs)).toEqual({ recorded: 1, none: 1, unknown: 1 });
  });

  it('are told in a sentence, and how much of the recording is unknown in another', () => {
    const counts = { recorded: 2, none: 1, unknown: 1 };
    expect(describeBaselines(counts, 0)).toEqual([
      'Savings are net of summary calls: against the run as recorded (2 sessions); against never compacting (1 session); unknown, since never compacting exceeds the window (1 session).',
    ]);
    expect(describeBaselines(counts, 3)[1]).toMatch(/^The usage of 3 requests is not recorded/);
    expect(describeBaselines({ recorded: 0, none: 0, unknown: 0 }, 0)).toEqual([]);
  });
});

describe('totalPolicies', () => {
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

  it('never adds up an open and a closed loop', () => {
    const runs = [sampleRun(), sampleRun({ mode: 'closed-loop' })];
    expect(() => totalPolicies(runs)).toThrow('to be all open loop or all closed loop');
  });

  it('does not know what is unknown for one run', () => {
    const unknown = sampleRun({ metrics: { ...sampleMetrics, prunes: null } });
    const [total] = totalPolicies([sampleRun(), unknown]);
    expect(total?.metrics).toMatchObject({ prunes: null, steps: 450 });
  });
});
