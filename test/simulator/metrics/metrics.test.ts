import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import type { Baseline } from '../../../src/simulator/metrics/metric-rows.ts';
import {
  combine,
  measure,
  type MetricName,
  metrics,
  type MetricValues,
  titleOf,
  UNKNOWN_METRICS,
} from '../../../src/simulator/metrics/metrics.ts';
import { sampleMetrics } from '../../support/sample-report.ts';
import { start, step } from './events.ts';

const baselineOf = (events: readonly RunEvent[]): Baseline => ({
  name: 'none',
  totals: foldRun(events),
});

const measured = (run: readonly RunEvent[], baseline: readonly RunEvent[] = []) =>
  measure({ run: foldRun([start(), ...run]), baseline: baselineOf([start(), ...baseline]) });
const names = Object.keys(metrics) as readonly MetricName[];
const sampleOf = (over: Partial<MetricValues>): MetricValues => ({ ...sampleMetrics, ...over });

describe('measure', () => {
  it('knows every metric of a run by its name', () => {
    expect(Object.keys(measured([]))).toEqual(names);
  });

  it('knows the largest context of steps that were answered, and of none it knows none', () => {
    const contexts = [300, 700, 500].map((contextTokens) => step({ contextTokens }));
    expect(measured(contexts).peakContextTokens).toBe(700);
    const none = measured([]);
    expect(none.peakContextTokens).toBeNull();
    expect(combine([none, measured(contexts), none]).peakContextTokens).toBe(700);
    expect(combine([none, none]).peakContextTokens).toBeNull();
  });

  it('knows no share of nothing', () => {
    expect(measured([])).toMatchObject({
      hitRate: null,
      hitRateAfterUser: null,
      hitRateAfterTool: null,
      cacheReadTokens: 0,
    });
  });
});

describe('combine', () => {
  it.each<[string, readonly Partial<MetricValues>[], Partial<MetricValues>]>([
    [
      'adds up',
      [
        { costUsd: 1, steps: 2 },
        { costUsd: 2, steps: 3 },
      ],
      { costUsd: 3, steps: 5 },
    ],
    [
      'adds up money to the nano-dollar',
      [
        { costUsd: 0.1, costSavedUsd: -0.1 },
        { costUsd: 0.2, costSavedUsd: -0.2 },
        { costUsd: 0.000000001, costSavedUsd: 1e6 },
      ],
      { costUsd: 0.300000001, costSavedUsd: 999_999.7 },
    ],
    [
      'takes the largest of what is no sum',
      [
        { peakContextTokens: 5, finalContextTokens: 1 },
        { peakContextTokens: 2, finalContextTokens: 4 },
      ],
      { peakContextTokens: 5, finalContextTokens: 4 },
    ],
    [
      'takes shares of the sums, not of the shares',
      [
        { cacheReadTokens: 90, inputTokens: 100, hitRate: 0.9 },
        { cacheReadTokens: 0, inputTokens: 900, hitRate: 0 },
      ],
      { hitRate: 0.09 },
    ],
    [
      'does not know what is unknown of one',
      [{ costUsd: 1, cacheReadTokens: null }, { costUsd: null }],
      { costUsd: null, cacheReadTokens: null, hitRate: null },
    ],
    ['keeps a single run', [sampleMetrics], sampleMetrics],
  ])('%s', (_, runs, expected) => {
    expect(combine(runs.map(sampleOf))).toMatchObject(expected);
  });

  it('knows nothing of no runs', () => {
    expect(combine([])).toEqual(UNKNOWN_METRICS);
    expect(Object.values(UNKNOWN_METRICS).every((value) => value === null)).toBe(true);
  });
});

describe('titleOf', () => {
  it.each([
    ['overflows', 'Overflows'],
    ['overflowsBeforeRequest', 'Overflows, before request'],
    ['hitRateAfterTool', 'Hit rate, after tool'],
    ['boundMisses', "Bound's losses"],
    ['of a later version', 'of a later version'],
  ])('calls %s what it is where it stands alone', (name, title) => {
    expect(titleOf(name)).toBe(title);
  });

  it('tells all metrics apart', () => {
    const titles = Object.keys(metrics).map(titleOf);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
