import { mean, sampleStandardDeviation } from 'simple-statistics';
import { keepIn } from '../../lib/collections.ts';
import { METRIC_NAMES, type MetricName } from '../../metrics/metrics.ts';
import type { ScenarioResult, ScenarioRunResult } from '../../report/check-report.ts';
import type { FlakeReport, MetricNoise, VaryingRun } from '../../report/flake.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { digestOf } from './case-record.ts';

/** Watches the same scenarios again and again. Source: evaluation design, sections 9.5 and 9.6, A/A comparison. */
interface Flake {
  add(result: ScenarioResult): void;
  /** Returns the findings over all runs. */
  end(): FlakeFindings;
}

/** How far runs strayed. */
type FlakeFindings = Omit<FlakeReport, 'origin'>;

/** The results of one run with one seed after another. */
interface Repeated {
  readonly scenario: string;
  readonly run: string;
  readonly results: ScenarioRunResult[];
}

/** The same scenario with all its seeds moved on; 0 is the scenario itself. */
export function reseed(scenario: Scenario, by: number): Scenario {
  return { ...scenario, runs: scenario.runs.map((run) => ({ ...run, seed: run.seed + by })) };
}

/** Watches runs that differ by nothing but their seed. */
export function createFlake(): Flake {
  const byRun = new Map<string, Repeated>();
  return {
    add: ({ name, runs }) => {
      for (const run of runs) {
        const key = JSON.stringify([name, run.name]);
        const start = () => ({ scenario: name, run: run.name, results: [] });
        keepIn(byRun, key, start).results.push(run);
      }
    },
    end: () => toFindings([...byRun.values()]),
  };
}

function toFindings(all: readonly Repeated[]): FlakeFindings {
  return {
    runs: all.length,
    repeats: Math.max(0, ...all.map(({ results }) => results.length)),
    varying: all.flatMap(varyingOf),
    noise: METRIC_NAMES.flatMap((name) => noiseOf(name, all)),
  };
}

function varyingOf({ scenario, run, results }: Repeated): readonly VaryingRun[] {
  const logs = new Set(results.map(({ events }) => digestOf(events.filter(isNoStart))));
  const states = [...new Set(results.map(({ state }) => state))];
  const outcomes = new Set(results.map(({ failures }) => failures.length === 0));
  if (logs.size < 2) return [];
  return [{ scenario, run, states, isVerdictStable: outcomes.size === 1 }];
}

/** The start of a run tells its seed. */
function isNoStart({ type }: { readonly type: string }): boolean {
  return type !== 'run-start';
}

/** How far a metric strays by chance alone; nothing where it never does. */
function noiseOf(metric: MetricName, all: readonly Repeated[]): readonly MetricNoise[] {
  const spreads = all.flatMap(({ results }) => {
    const values = results.flatMap(({ metrics: { [metric]: value } }) => value ?? []);
    const middle = values.length === 0 ? 0 : mean(values);
    const spread = values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
    return spread === 0 ? [] : [{ middle, spread, deviation: sampleStandardDeviation(values) }];
  });
  if (spreads.length === 0) return [];
  return [
    {
      metric,
      varyingRuns: spreads.length,
      largestSpread: Math.max(...spreads.map(({ spread }) => spread)),
      largestRelativeSpread: Math.max(
        ...spreads.map(({ spread, middle }) => spread / Math.max(Math.abs(middle), Number.EPSILON)),
      ),
      meanDeviation: mean(spreads.map(({ deviation }) => deviation)),
    },
  ];
}
