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

it('gives the ratio that cost is judged by with its interval, and of amounts none', () => {
  const before = runsOf([...cheap, 100]);
  const after = runsOf([...cheap.map((amount) => amount / 2), 110]);
  const names = Object.keys(metrics);
  const ratios = new Map(
    findDifferences([before, after]).map(({ metric, ratio }) => [names[metric], ratio]),
  );
  // Twelve halves and one 1.1: exp((12 ln 0.5 + ln 1.1) / 13).
  expect(ratios.get('costUsd')?.value).toBeCloseTo(0.5313, 4);
  expect(ratios.get('costUsd')?.low).toBeCloseTo(0.4655, 4);
  expect(ratios.get('costUsd')?.high).toBeCloseTo(0.6063, 4);
  expect(ratios.get('inputTokens')).toBeUndefined();
});

it('has no interval of the ratio of one session', () => {
  const [cost] = findDifferences([runsOf([2]), runsOf([1])]);
  expect(cost?.ratio?.value).toBeCloseTo(0.5, 4);
  expect(cost?.ratio).toMatchObject({ low: null, high: null });
});
