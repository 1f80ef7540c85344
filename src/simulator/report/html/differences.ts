import { METRIC_NAMES, type MetricName, PRIMARY_METRICS } from '../../metrics/metrics.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { type Estimate, type Interval, mapInterval } from '../../metrics/statistics/interval.ts';
import {
  COST_METRIC,
  costRatioPValue,
  geometricCostRatio,
  judgeDifference,
} from '../../metrics/statistics/judge-difference.ts';
import { type Pair, pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { clusterOf, countEvidence, judgeTogether } from '../../metrics/statistics/verdict.ts';
import type { PageDifference, PageMean, PageRatio } from './page-data.ts';

/** A pair with its session, which may be one of several in its cluster. */
interface KnownPair extends Pair {
  readonly session: string;
}

type Completed = ReadonlyMap<string, RunRecord>;

/** What policies are told apart by. */
const COMPARED: readonly MetricName[] = [
  'costUsd',
  'regretUsd',
  'compactions',
  'misses',
  'inputTokens',
  'peakContextTokens',
];

/** How far a policy is from what hindsight would do, and the least that this can be. */
const DISTANCES: readonly (readonly [metric: MetricName, least: number])[] = [
  ['costAboveBoundUsd', 0],
  ['missesAboveBound', 0],
  ['missedTokensToBound', 1],
  ['competitiveRatio', 1],
];

const SEED = 1;

/**
 * Every group of runs against the first, over the sessions that both completed. They are read together, so that what
 * was named before anything was measured is judged together, as a comparison of two does.
 */
export function findDifferences(
  groups: readonly (readonly RunRecord[])[],
): readonly PageDifference[] {
  const [first, ...others] = groups.map(completedOf);
  if (first === undefined) return [];
  const compared = others.flatMap((other, index) =>
    COMPARED.flatMap((metric) => compareGroup(pairUp(first, other, metric), index + 1, metric)),
  );
  return judgeTogether(compared);
}

/** How far each group is from the bound, on average over the sessions that it completed. */
export function findDistances(groups: readonly (readonly RunRecord[])[]): readonly PageMean[] {
  return groups.flatMap((runs, group) =>
    DISTANCES.flatMap(([metric, least]) => {
      const known = [...completedOf(runs).values()].flatMap((run): readonly KnownPair[] => {
        const b = run.metrics[metric];
        return b === null ? [] : [{ a: 0, b, ...evidenceOf(run) }];
      });
      const found = pairedMeanDifference(known, { seed: SEED });
      return found === undefined
        ? []
        : toMean({ ...found, interval: cutAt(least, found.interval) }, known, { group, metric });
    }),
  );
}

function compareGroup(
  pairs: readonly KnownPair[],
  group: number,
  metric: MetricName,
): readonly PageDifference[] {
  const found = pairedMeanDifference(pairs, { seed: SEED });
  if (found === undefined) return [];
  const isCost = metric === COST_METRIC;
  const pValue = isCost ? costRatioPValue(pairs) : found.pValue;
  return [
    {
      ...toMean(found, pairs, { group, metric }),
      ratio: isCost ? ratioOf(pairs) : undefined,
      verdict: judgeDifference(metric, pairs, found.interval),
      ...(PRIMARY_METRICS.includes(metric) && { pValue }),
    },
  ];
}

function evidenceOf(run: RunRecord): Pick<KnownPair, 'session' | 'cluster'> {
  return { session: run.session, cluster: clusterOf(run) };
}

/** Of few sessions an interval may reach where nothing can be. */
function cutAt(least: number, interval: Interval | null): Interval | null {
  return mapInterval(interval, (end) => Math.max(least, end));
}

function toMean(
  { value, interval }: Estimate,
  pairs: readonly KnownPair[],
  { group, metric }: { readonly group: number; readonly metric: MetricName },
): PageMean {
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
