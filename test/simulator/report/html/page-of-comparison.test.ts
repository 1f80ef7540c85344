import { describe, expect, it } from 'vitest';
import { metrics } from '../../../../src/simulator/metrics/metrics.ts';
import {
  findDistances,
  toPageOfComparison,
} from '../../../../src/simulator/report/html/page-of-comparison.ts';
import { HOSTILE_NAME, sampleComparison } from '../../../support/sample-comparison.ts';
import { sampleMetrics, sampleRun } from '../../../support/sample-report.ts';

describe('toPageOfComparison', () => {
  const page = toPageOfComparison(sampleComparison);

  it('begins with the verdict, and has all metrics that differ', () => {
    expect(page.verdict[0]).toBe('Use document-002.');
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
});

const runsOf = (amounts: readonly number[]) =>
  amounts.map((amount, index) =>
    sampleRun({
      session: `sessions/${index}.jsonl`,
      metrics: { ...sampleMetrics, costUsd: amount, regretUsd: 0, inputTokens: amount },
    }),
  );
const cheap = Array.from({ length: 12 }, (_, index) => 1 + index / 100);

/** Each run, and that of a fork that came to the same. */
const forked = (amounts: readonly number[]) =>
  runsOf(amounts).flatMap((run) => [
    { ...run, family: run.session },
    { ...run, session: `${run.session}-fork`, family: run.session },
  ]);

it('has the distance to a bound of families, too', () => {
  const known = (runs: ReturnType<typeof forked>) =>
    runs.map((run, index) => ({
      ...run,
      metrics: { ...run.metrics, costAboveBoundUsd: 1 + Math.floor(index / 2) },
    }));
  const [ofForks] = findDistances([known(forked(cheap))]);
  expect(ofForks).toMatchObject({ sessions: 24, families: 12, value: 6.5 });
  const apart = known(forked(cheap)).map((run) => ({ ...run, family: run.session }));
  const [surer] = findDistances([apart]);
  expect(surer!.high! - surer!.low!).toBeLessThan(0.8 * (ofForks!.high! - ofForks!.low!));
});

it.each(['missesAboveBound', 'competitiveRatio'] as const)(
  'cuts the interval of %s where nothing can be',
  (metric) => {
    const least = metric === 'competitiveRatio' ? 1 : 0;
    const runs = runsOf([1, 2, 3]).map((run, index) => ({
      ...run,
      metrics: { ...run.metrics, [metric]: index === 2 ? 9 : least },
    }));
    const index = Object.keys(metrics).indexOf(metric);
    const found = findDistances([runs]).find((one) => one.metric === index);
    expect(found).toMatchObject({ low: least });
    expect(found!.high).toBeGreaterThan(9);
  },
);
