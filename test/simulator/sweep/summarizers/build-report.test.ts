import { describe, expect, it } from 'vitest';
import type { SummaryRow } from '../../../../src/simulator/report/arm-metrics.ts';
import { estimateProbes } from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import { summariseArm } from '../../../../src/simulator/sweep/summarizers/summarise-arms.ts';
import { probe, row } from './summary-rows.ts';

const SAMPLING = { seed: 1, families: new Map<string, string>() };

/** A row a session, with a question for each flag. */
function rowsOf(...right: readonly (readonly boolean[])[]): readonly SummaryRow[] {
  return right.map((own, index) =>
    row({ scenario: `s${index}`, probes: own.map((isRight) => probe(isRight)) }),
  );
}

describe('estimateProbes', () => {
  it('has means over sessions, with intervals', () => {
    const rows = rowsOf([true, false], [true, true], [true, true, true, false]);
    const { questions, accuracy, left } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(questions).toBe(8);
    expect(accuracy.compacted).toMatchObject({ mean: 0.75, sessions: 3 });
    expect(accuracy.compacted.low).toBeLessThan(0.75);
    expect(accuracy).toMatchObject({ full: { mean: 1 }, none: { mean: 0 } });
    expect(left).toMatchObject({ mean: 0.75, sessions: 3 });
    expect(left.high).toBeGreaterThan(0.75);
  });

  it('counts repetitions that cannot differ once, and what was not answered by reason', () => {
    const rows = [1, 2].map((repeat) =>
      row({ repeat, probes: [probe(true)], unanswered: ['429', '429', 'reset'] }),
    );
    const { questions, unanswered } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(questions).toBe(1);
    expect(unanswered).toEqual([
      { reason: '429', times: 2 },
      { reason: 'reset', times: 1 },
    ]);
  });

  it('counts the second of such repetitions where the first one broke', () => {
    const missing = { pivot: 1, state: 'broken', reason: 'reset' } as const;
    const rows = [
      row({ isRandom: true, pivots: [], missing }),
      ...[2, 3].map((repeat) => row({ repeat, probes: [probe(true)] })),
    ];
    expect(estimateProbes({ name: 'arm', rows }, SAMPLING)).toMatchObject({
      questions: 1,
      accuracy: { compacted: { mean: 1 } },
    });
    expect(summariseArm({ name: 'arm', rows }, SAMPLING).mustFacts.of).toBe(10);
  });

  it('averages repetitions before sessions, however many of their questions were answered', () => {
    const rows = [
      row({ isRandom: true, probes: [probe(true), probe(true), probe(true)] }),
      row({ isRandom: true, repeat: 2, probes: [probe(false)] }),
    ];
    const { accuracy, left, kinds } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(accuracy.compacted.mean).toBe(0.5);
    expect(left.mean).toBe(0.5);
    expect(kinds.value).toMatchObject({ full: { mean: 1 }, compacted: { mean: 0.5 } });
    expect(summariseArm({ name: 'arm', rows }, SAMPLING).metrics.answered.mean).toBe(0.5);
  });
});
