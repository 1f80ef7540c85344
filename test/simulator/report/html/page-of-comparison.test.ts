import { describe, expect, it } from 'vitest';
import { metrics } from '../../../../src/simulator/metrics/metrics.ts';
import {
  findDifferences,
  findDistances,
  toPageOfComparison,
} from '../../../../src/simulator/report/html/page-of-comparison.ts';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
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

  it('draws what was named before as shares of A, so that amounts of several units stand side by side', () => {
    const drawn = { name: 'Cost', value: -0.5, low: -0.75, high: -0.25, sessions: 12 };
    expect(page.bars?.map(({ unit, bars }) => ({ unit, bars }))).toEqual([
      { unit: 'ratio', bars: [drawn] },
    ]);
  });

  it('draws no share of nothing, and no interval where there is none', () => {
    const [cost] = sampleComparison.metrics;
    const nothing = { ...cost!, meanA: 0 };
    const few = { ...cost!, difference: { value: 1, interval: null } };
    expect(toPageOfComparison({ ...sampleComparison, metrics: [nothing] }).bars).toEqual([]);
    const [chart] = toPageOfComparison({ ...sampleComparison, metrics: [few] }).bars ?? [];
    expect(chart?.bars).toMatchObject([{ value: 0.5, low: null, high: null }]);
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

/** Twelve sessions whose cost changes by factors that are hard to tell from noise. */
const swaying = cheap.map((amount, index) => amount * (0.66 + (index % 5) / 10));

it('judges what was named before as a comparison of two does, and nothing else with a p-value', () => {
  const groups = [cheap, swaying].map((amounts) =>
    runsOf(amounts).map((run, index) => ({
      ...run,
      metrics: { ...run.metrics, regretUsd: index / 10, compactions: index % 3 },
    })),
  );
  const [a, b] = groups.map((rows, index) => ({
    name: `side ${index}`,
    rows,
    schemaVersion: 1,
    mode: 'open-loop' as const,
    origin: { settings: {} },
  }));
  const outcome = compareSides(a!, b!, { seed: 1 });
  if (outcome.state !== 'compared') throw new Error(outcome.reason);
  const names = Object.keys(metrics);
  const ofPage = findDifferences(groups).map(({ metric, verdict, pValue }) => ({
    name: names[metric],
    verdict,
    pValue,
  }));
  expect(ofPage.length).toBe(6);
  for (const { name, verdict, pValue } of ofPage) {
    const same = outcome.comparison.metrics.find((one) => one.name === name);
    expect(same).toMatchObject({ verdict, ...(pValue !== undefined && { pValue }) });
  }
  expect(ofPage.filter(({ pValue }) => pValue !== undefined).map(({ name }) => name)).toEqual([
    'costUsd',
    'regretUsd',
    'compactions',
  ]);
});

it('is less sure of each policy the more there are', () => {
  const costOf = (others: readonly (readonly number[])[]) => {
    const [cost] = findDifferences([cheap, ...others].map(runsOf));
    return cost;
  };
  expect(costOf([swaying])?.verdict).toBe('lower');
  const among = costOf([swaying, cheap, cheap, cheap, cheap, cheap]);
  expect(among?.verdict).toBe('within noise');
  expect(among?.pValue).toBeGreaterThan(costOf([swaying])?.pValue ?? 1);
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
