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
import {
  failedSummary,
  pivot,
  prune,
  start,
  step,
  steps,
  summary,
  unpriced,
  unpricedStart,
} from './events.ts';

const baselineOf = (events: readonly RunEvent[]): Baseline => ({
  name: 'none',
  totals: foldRun(events),
});

const measured = (run: readonly RunEvent[], baseline: readonly RunEvent[] = []) =>
  measure({ run: foldRun([start(), ...run]), baseline: baselineOf([start(), ...baseline]) });
const numbered = (overrides: readonly Parameters<typeof step>[0][]) =>
  overrides.map((one, index) => step({ ...one, step: index + 1 }));
const names = Object.keys(metrics) as readonly MetricName[];
const NANO = 1e-9;
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

  it('reads cost off steps and summaries, the latter on a line of their own', () => {
    const { costUsd, costSummariesUsd } = measured([...steps(3), summary(), failedSummary]);
    expect(costUsd).toBeCloseTo(50_300 * NANO, 15);
    expect(costSummariesUsd).toBeCloseTo(50_000 * NANO, 15);
  });

  it('saves against the steps of the baseline that the run had', () => {
    const baseline = numbered([{ costNanoUsd: 1_000 }, { costNanoUsd: 2_000 }, {}, {}]);
    const run = [step(), summary({ costNanoUsd: 250 }), step({ step: 2 })];
    expect(measured(run, baseline).costSavedUsd).toBeCloseTo(2_550 * NANO, 15);
  });

  it('saves less than nothing where a summary costs more than it brings', () => {
    expect(measured([step(), summary()], steps(1)).costSavedUsd).toBeCloseTo(-50_000 * NANO, 15);
  });

  it('counts tokens saved over the same steps, less what the summaries took', () => {
    const large = { contextTokens: 90_000 };
    const run = [step(), summary(), step({ step: 2 })];
    expect(measured(run, numbered([large, large, {}, {}])).tokensSaved).toBe(
      180_000 - 200 - 40_000 - 5_000,
    );
  });

  it('leaves out steps that the baseline does not have, but no summary call of the run', () => {
    const baseline = [step({ step: 2, contextTokens: 700, costNanoUsd: 900 })];
    const run = [...steps(2), summary({ costNanoUsd: 250 }), step({ step: 3 })];
    expect(measured(run, baseline).tokensSaved).toBe(700 - 100 - 40_000 - 5_000);
    expect(measured(run, baseline).costSavedUsd).toBeCloseTo((900 - 100 - 250) * NANO, 15);
  });

  it('counts summary calls of the baseline up to the last step of the run', () => {
    const baseline = [step(), summary(), step({ step: 2 }), summary(), step({ step: 3 })];
    expect(measured(steps(1), baseline).tokensSaved).toBe(45_000);
    expect(measured(steps(3), baseline).tokensSaved).toBe(90_000);
  });

  it('does not know what was saved without a common step, without a baseline, and of a run that cannot exist', () => {
    const unknown = { costSavedUsd: null, tokensSaved: null };
    const run = foldRun([start(), ...steps(2)]);
    expect(measured(steps(2), [step({ step: 3 })])).toMatchObject(unknown);
    expect(measure({ run })).toMatchObject(unknown);
    const end = { type: 'run-end', state: 'completed', impossible: 'too large' } as const;
    expect(measured([...steps(2), end], steps(2))).toMatchObject(unknown);
  });

  it.each<[string, readonly RunEvent[], readonly RunEvent[]]>([
    ['of the run', [unpricedStart, ...steps(1)], [start(), ...steps(1)]],
    ['of the baseline', [start(), ...steps(1)], [unpricedStart, ...steps(1)]],
    ['of a model in between', [start(), unpriced(step())], [start(), ...steps(1)]],
  ])('does not know what was saved without the prices %s', (_, run, baseline) => {
    const { costSavedUsd, tokensSaved } = measure({
      run: foldRun(run),
      baseline: baselineOf(baseline),
    });
    expect(costSavedUsd).toBeNull();
    expect(tokensSaved).toBe(0);
  });

  it('knows no money at all without prices', () => {
    const run = foldRun([unpricedStart, ...steps(1), prune(), summary(), pivot()]);
    expect(measure({ run, baseline: { name: 'none', totals: run } })).toMatchObject({
      costUsd: null,
      costSummariesUsd: null,
      costSavedUsd: null,
      prunesPaidBack: null,
      compactionsPaidBack: null,
      wastedCompactions: null,
      compactions: 1,
      prunes: 1,
    });
  });

  it('tells how much came from the cache, after prompts and after tools', () => {
    const run = [
      step({ opensTurn: true, cacheReadTokens: 25, freshTokens: 75 }),
      step({ cacheReadTokens: 90, freshTokens: 10 }),
      step({ cacheReadTokens: 60, cacheWriteTokens: 40, freshTokens: 0, lostTokens: 3 }),
    ];
    expect(measured(run)).toMatchObject({
      cacheReadTokens: 175,
      cacheWriteTokens: 40,
      uncachedTokens: 85,
      inputAfterUserTokens: 100,
      cacheReadAfterUserTokens: 25,
      inputAfterToolTokens: 200,
      cacheReadAfterToolTokens: 150,
      hitRate: 0.583333,
      hitRateAfterUser: 0.25,
      hitRateAfterTool: 0.75,
      prefixBreaks: 1,
      latencyMs: 21,
    });
  });

  it('knows no share of nothing', () => {
    expect(measured([])).toMatchObject({
      hitRate: null,
      hitRateAfterUser: null,
      hitRateAfterTool: null,
      cacheReadTokens: 0,
    });
  });

  it('tells which prunes and pivots were paid back, and which pivots were wasted', () => {
    const earnedPrune = [prune(), ...steps(6)];
    const wastedPrune = [prune(), ...steps(1)];
    const earned = [summary(), pivot(), ...steps(7)];
    const wasted = [summary(), pivot(), ...steps(1)];
    const before = [wastedPrune, earned, earnedPrune, earned, earnedPrune, earned, earned];
    const run = [...before, wasted, wasted, wasted].flat();
    expect(measured(run)).toMatchObject({
      prunesPaidBack: 2,
      compactionsPaidBack: 4,
      wastedCompactions: 3,
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
