import { beforeAll, describe, expect, it } from 'vitest';
import type { ScenarioResult } from '../../../../src/simulator/report/check-report.ts';
import { flakeFormats } from '../../../../src/simulator/report/flake.ts';
import { createFlake, reseed } from '../../../../src/simulator/sweep/gate/flake.ts';
import { PIPE } from '../../../support/terminals.ts';
import { sampleScenario } from '../../scenario/file/sample-scenario.ts';
import { checked } from './checked.ts';

const made: { result?: ScenarioResult } = {};
beforeAll(async () => {
  made.result = await checked();
});

/** The same result with a longer context in its last step. */
function grown(by: number): ScenarioResult {
  const result = made.result!;
  const [run] = result.runs;
  const metrics = { ...run!.metrics, inputTokens: (run!.metrics.inputTokens ?? 0) + by };
  const events = run!.events.map((event) =>
    event.type === 'step-end' ? { ...event, contextTokens: event.contextTokens + by } : event,
  );
  return { ...result, runs: [{ ...run!, metrics, events }] };
}

function flakeOf(...results: readonly ScenarioResult[]) {
  const flake = createFlake();
  for (const result of results) flake.add(result);
  return flake.end();
}

describe('a noise floor', () => {
  it('is nothing where every seed gives the same', () => {
    expect(flakeOf(made.result!, made.result!)).toEqual({
      runs: 1,
      repeats: 2,
      varying: [],
      noise: [],
    });
  });

  it('is how far the values of one run are apart', () => {
    const base = made.result!.runs[0]!.metrics.inputTokens ?? 0;
    const report = flakeOf(made.result!, grown(60), grown(30));
    expect(report.varying).toEqual([
      { scenario: 'test', run: 'main', states: ['completed'], isVerdictStable: true },
    ]);
    expect(report.noise).toEqual([
      {
        metric: 'inputTokens',
        varyingRuns: 1,
        largestSpread: 60,
        largestRelativeSpread: 60 / (base + 30),
        meanDeviation: expect.closeTo(30, 10),
      },
    ]);
    expect(flakeFormats.table({ origin: { settings: {} }, ...report }, PIPE)).toContain(
      '(inputTokens): up to 60 apart',
    );
  });

  it('tells which run passes and fails', () => {
    const failing = {
      ...made.result!.runs[0]!,
      failures: [{ line: 1, column: 1, expected: 'a', got: 'b' }],
    };
    const other = { ...grown(1), runs: [{ ...grown(1).runs[0]!, failures: failing.failures }] };
    expect(flakeOf(made.result!, other).varying).toMatchObject([{ isVerdictStable: false }]);
  });

  it('comes from other seeds alone', () => {
    const scenario = sampleScenario();
    expect(reseed(scenario, 0)).toEqual(scenario);
    expect(reseed(scenario, 3).runs.map(({ seed }) => seed)).toEqual([4]);
  });
});
