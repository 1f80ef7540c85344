import { expect, it } from 'vitest';
import { metrics } from '../../../../src/simulator/metrics/metrics.ts';
import { findDifferences } from '../../../../src/simulator/report/html/differences.ts';
import { sampleMetrics, sampleRun } from '../../../support/sample-report.ts';

const runsOf = (amounts: readonly number[]) =>
  amounts.map((amount, index) =>
    sampleRun({
      session: `sessions/${index}.jsonl`,
      metrics: { ...sampleMetrics, costUsd: amount, inputTokens: amount },
    }),
  );
const cheap = Array.from({ length: 12 }, (_, index) => 1 + index / 100);

it('judges cost by its ratio, which one dear session does not decide, and amounts by their mean', () => {
  const before = runsOf([...cheap, 100]);
  const after = runsOf([...cheap.map((amount) => amount / 2), 110]);
  const names = Object.keys(metrics);
  const verdicts = new Map(
    findDifferences([before, after]).map(({ metric, verdict }) => [names[metric], verdict]),
  );
  expect(verdicts.get('costUsd')).toBe('lower');
  expect(verdicts.get('inputTokens')).toBe('within noise');
});
