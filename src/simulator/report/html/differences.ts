import { type MetricName, metrics } from '../../metrics/metrics.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import type { Pair } from '../../metrics/statistics/pair.ts';
import { judge, SAME_AMOUNT } from '../../metrics/statistics/verdict.ts';
import type { PageDifference } from './page-data.ts';

/** What policies are told apart by. */
const COMPARED: readonly MetricName[] = [
  'costUsd',
  'inputTokens',
  'peakContextTokens',
  'compactions',
  'misses',
];

const NAMES = Object.keys(metrics);
const RESAMPLES = 2_000;
const SEED = 1;

/** Every policy against the first, over the sessions that both completed. */
export function findDifferences(
  runs: readonly RunRecord[],
  policies: readonly string[],
): readonly PageDifference[] {
  const [first, ...others] = policies.map((policy) => completedOf(runs, policy));
  if (first === undefined) return [];
  return others.flatMap((other, index) =>
    COMPARED.flatMap((metric) => {
      const pairs = pairUp(first, other, metric);
      const found = pairedMeanDifference(pairs, { seed: SEED, resamples: RESAMPLES });
      if (found === undefined) return [];
      const { value, interval } = found;
      return {
        group: index + 1,
        metric: NAMES.indexOf(metric),
        sessions: pairs.length,
        value,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        verdict: judge(interval, SAME_AMOUNT),
      };
    }),
  );
}

type Completed = ReadonlyMap<string, RunRecord>;

function completedOf(runs: readonly RunRecord[], policy: string): Completed {
  const completed = runs.filter((run) => run.policy === policy && run.state === 'completed');
  return new Map(completed.map((run) => [JSON.stringify([run.session, run.seed, run.model]), run]));
}

function pairUp(first: Completed, other: Completed, metric: MetricName): readonly Pair[] {
  return [...first].flatMap(([key, run]) => {
    const [a, b] = [run.metrics[metric], other.get(key)?.metrics[metric]];
    return a === null || b === null || b === undefined ? [] : [{ a, b, cluster: run.session }];
  });
}
