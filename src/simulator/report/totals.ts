import { HarnessError } from '../lib/errors.ts';
import { combine, type MetricValues } from '../metrics/metrics.ts';
import { modeOf, type RunRecord } from '../metrics/record.ts';

/** A policy's completed runs taken together. */
export interface PolicyTotal {
  readonly policy: string;
  readonly runs: number;
  readonly completedRuns: number;
  /** Unknown where it is unknown for any completed run, or where none completed. */
  readonly metrics: MetricValues;
}

/** One total for each policy, in the order of first appearance; throws where runs of both loops would stand together. */
export function totalPolicies(runs: readonly RunRecord[]): readonly PolicyTotal[] {
  if (new Set(runs.map(modeOf)).size > 1) {
    const message =
      'Expected the runs of a table to be all open loop or all closed loop, got both.';
    throw new HarnessError('BAD_RESULTS', message);
  }
  const names = new Set(runs.map((run) => run.policy));
  return [...names].map((policy) => totalPolicy(policy, runs));
}

function totalPolicy(policy: string, all: readonly RunRecord[]): PolicyTotal {
  const runs = all.filter((run) => run.policy === policy);
  const completed = runs.filter((run) => run.state === 'completed');
  return {
    policy,
    runs: runs.length,
    completedRuns: completed.length,
    metrics: combine(completed.map((run) => run.metrics)),
  };
}
