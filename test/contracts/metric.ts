import { describe, expect, it } from 'vitest';
import { foldRun } from '../../src/simulator/metrics/fold.ts';
import {
  type Baseline,
  isShare,
  type Metric,
  type MetricInput,
} from '../../src/simulator/metrics/metric-rows.ts';
import {
  combine,
  measure,
  type MetricName,
  metrics,
  UNKNOWN_METRICS,
} from '../../src/simulator/metrics/metrics.ts';
import { sampleEvents } from '../support/sample-events.ts';

const empty = foldRun([]);
const run = foldRun(sampleEvents());
const baseline: Baseline = {
  name: 'none',
  totals: foldRun(sampleEvents({ policy: 'none', pivotEvery: 1_000 })),
};

/** What a metric is asked of. */
const INPUTS: readonly (readonly [string, MetricInput])[] = [
  ['a run without events', { run: empty, baseline: { name: 'none', totals: empty } }],
  ['a run without a baseline', { run }],
  ['a run with its baseline', { run, baseline }],
  ['a run with its bounds', { run, baseline, bounds: [run, baseline.totals] }],
];

/** What every metric must do, whatever it measures. */
export function describeMetric(name: MetricName, metric: Metric): void {
  const valueOf = (input: MetricInput) => measure(input)[name];

  describe(`${name} as a metric`, () => {
    it('says in a sentence what it is', () => {
      expect(metric.describes).toMatch(/^[A-Z].*\.$/);
      expect(metric.label).not.toBe('');
    });

    it('is a share of counted metrics only', () => {
      const parts = isShare(metric) ? metric.shareOf : [];
      const counted = Object.entries<Metric>(metrics).filter(([, one]) => !isShare(one));
      expect(parts.filter((part) => !counted.some(([other]) => other === part))).toEqual([]);
    });

    it.each(INPUTS)('is a number, or unknown, of %s', (_, input) => {
      const value = valueOf(input);
      expect(value === null || Number.isFinite(value)).toBe(true);
    });

    it.each(INPUTS)('is the same again of %s', (_, input) => {
      expect(valueOf(input)).toBe(valueOf(input));
    });

    // Where no prune fired a run adds other numbers than its own (`withoutPrune`).
    it.each(INPUTS.filter(([, { run: sums }]) => sums.prunes > 0))(
      'is itself where %s is all that is taken together',
      (_, input) => {
        const values = measure(input);
        expect(combine([values])[name]).toBe(values[name]);
      },
    );

    it('is unknown of what never ran', () => {
      expect(UNKNOWN_METRICS[name]).toBeNull();
    });
  });
}
