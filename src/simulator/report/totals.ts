import { type Metric, type MetricName, type MetricValues, metrics } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';

/** A policy's completed runs taken together. */
export interface PolicyTotal {
  readonly policy: string;
  readonly runs: number;
  readonly completedRuns: number;
  /** Unknown where it is unknown for any completed run, or where none completed. */
  readonly metrics: MetricValues;
}

/** Sizes of one context; of several runs the largest stands. */
const LARGEST: ReadonlySet<string> = new Set<MetricName>([
  'peakContextTokens',
  'finalContextTokens',
]);

/** One total for each policy, in the order of first appearance. */
export function totalPolicies(runs: readonly RunRecord[]): readonly PolicyTotal[] {
  const names = new Set(runs.map((run) => run.policy));
  return [...names].map((policy) => totalPolicy(policy, runs));
}

function totalPolicy(policy: string, all: readonly RunRecord[]): PolicyTotal {
  const runs = all.filter((run) => run.policy === policy);
  const completed = runs.filter((run) => run.state === 'completed');
  const names = Object.keys(metrics satisfies Record<string, Metric>) as MetricName[];
  const values = names.map((name) => [name, totalMetric(name, completed)]);
  return {
    policy,
    runs: runs.length,
    completedRuns: completed.length,
    metrics: Object.fromEntries(values) as MetricValues,
  };
}

function totalMetric(name: MetricName, runs: readonly RunRecord[]): number | null {
  const known = runs.flatMap((run) => run.metrics[name] ?? []);
  if (runs.length === 0 || known.length < runs.length) return null;
  return known.reduce((total, value) =>
    LARGEST.has(name) ? Math.max(total, value) : total + value,
  );
}
