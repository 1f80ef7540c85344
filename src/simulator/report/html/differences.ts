import { COST_METRIC, judgeDifference } from '../../metrics/judge-difference.ts';
import { METRIC_NAMES, type MetricName } from '../../metrics/metrics.ts';
import { clusterOf, countEvidence } from '../../metrics/evidence.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { geometricCostRatio } from '../../metrics/statistics/cost-ratio.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import type { Pair } from '../../metrics/statistics/pair.ts';
import type { PageDifference, PageMean, PageRatio } from './page-data.ts';

/** What policies are told apart by. */
const COMPARED: readonly MetricName[] = [
  'costUsd',
  'inputTokens',
  'peakContextTokens',
  'compactions',
  'misses',
];

/** How far a policy is from what hindsight would do. */
const DISTANCES: readonly MetricName[] = [
  'costAboveBoundUsd',
  'missesAboveBound',
  'missedTokensToBound',
  'competitiveRatio',
];

const RESAMPLES = 2_000;
const SEED = 1;

/** Every group of runs against the first, over the sessions that both completed. */
export function findDifferences(
  groups: readonly (readonly RunRecord[])[],
): readonly PageDifference[] {
  const [first, ...others] = groups.map(completedOf);
  if (first === undefined) return [];
  return others.flatMap((other, index) =>
    COMPARED.flatMap((metric) => {
      const pairs = pairUp(first, other, metric);
      const found = estimate(pairs, { group: index + 1, metric });
      if (found === undefined) return [];
      const { low, high } = found;
      const interval = low === null || high === null ? null : { low, high };
      const ratio = metric === COST_METRIC ? ratioOf(pairs) : undefined;
      return { ...found, ratio, verdict: judgeDifference(metric, pairs, interval) };
    }),
  );
}

/** How far each group is from the bound, on average over the sessions that it completed. */
export function findDistances(groups: readonly (readonly RunRecord[])[]): readonly PageMean[] {
  return groups.flatMap((runs, group) =>
    DISTANCES.flatMap((metric) => {
      const known = [...completedOf(runs).values()].flatMap((run): readonly KnownPair[] => {
        const b = run.metrics[metric];
        return b === null ? [] : [{ a: 0, b, ...evidenceOf(run) }];
      });
      return estimate(known, { group, metric }) ?? [];
    }),
  );
}

/** A pair with its session, which may be one of several in its cluster. */
interface KnownPair extends Pair {
  readonly session: string;
}

function evidenceOf(run: RunRecord): Pick<KnownPair, 'session' | 'cluster'> {
  return { session: run.session, cluster: clusterOf(run) };
}

function estimate(
  pairs: readonly KnownPair[],
  { group, metric }: { readonly group: number; readonly metric: MetricName },
): PageMean | undefined {
  const found = pairedMeanDifference(pairs, { seed: SEED, resamples: RESAMPLES });
  if (found === undefined) return undefined;
  const { value, interval } = found;
  const { sessions, families } = countEvidence(
    pairs.map(({ session, cluster }) => ({ session, family: cluster })),
  );
  return {
    group,
    metric: METRIC_NAMES.indexOf(metric),
    sessions,
    ...(families < sessions && { families }),
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

/** What the verdict on cost is of. */
function ratioOf(pairs: readonly Pair[]): PageRatio | undefined {
  const found = geometricCostRatio(pairs);
  if (found === undefined) return undefined;
  const { value, interval } = found;
  return { value, low: interval?.low ?? null, high: interval?.high ?? null };
}

type Completed = ReadonlyMap<string, RunRecord>;

function completedOf(runs: readonly RunRecord[]): Completed {
  const completed = runs.filter(({ state }) => state === 'completed');
  return new Map(completed.map((run) => [JSON.stringify([run.session, run.seed]), run]));
}

function pairUp(first: Completed, other: Completed, metric: MetricName): readonly KnownPair[] {
  return [...first].flatMap(([key, run]) => {
    const [a, b] = [run.metrics[metric], other.get(key)?.metrics[metric]];
    return a === null || b === null || b === undefined ? [] : [{ a, b, ...evidenceOf(run) }];
  });
}
