import { expect, it } from 'vitest';
import { metrics } from '../../../../src/simulator/metrics/metrics.ts';
import {
  findDifferences,
  findDistances,
} from '../../../../src/simulator/report/html/differences.ts';
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

/** Each run, and that of a fork that came to the same. */
const forked = (amounts: readonly number[]) =>
  runsOf(amounts).flatMap((run) => [
    { ...run, family: run.session },
    { ...run, session: `${run.session}-fork`, family: run.session },
  ]);

it('is no surer for a fork of each session that came to the same', () => {
  const before = cheap;
  const after = cheap.map((amount, index) => amount * (0.8 + (index % 5) / 10));
  const alone = findDifferences([runsOf(before), runsOf(after)]);
  const ofForks = findDifferences([forked(before), forked(after)]);
  expect(ofForks).toEqual(
    alone.map((one) => ({ ...one, sessions: 2 * one.sessions, families: one.sessions })),
  );
  expect(alone.some((one) => 'families' in one)).toBe(false);
  const cost = alone.find(({ ratio }) => ratio !== undefined);
  expect(cost!.low).toBeLessThan(cost!.high!);
});

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
