import { addToGroup, groupBy } from '../../lib/collections.ts';
import {
  clip,
  type Interval,
  percentileInterval,
  tInterval,
} from '../../metrics/statistics/interval.ts';
import {
  drawResamples,
  FEW_CLUSTERS,
  type MeanDifference,
  pairedMeanDifference,
} from '../../metrics/statistics/mean-difference.ts';
import { clusterOf, countEvidence } from '../../metrics/statistics/verdict.ts';
import type { SummaryRow } from '../../report/arm-metrics.ts';

export interface Sampling {
  readonly seed: number;
  readonly families: ReadonlyMap<string, string>;
}

/** Fewer than for means: these take longer. */
const DESCRIPTIVE_RESAMPLES = 2_000;

export function sessionMeans(rows: readonly SummaryRow[], of: (row: SummaryRow) => number | null) {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const value = of(row);
    if (value !== null) addToGroup(values, row.scenario, value);
  }
  return new Map([...values].map(([scenario, own]) => [scenario, exactMean(own)]));
}

/** The mean; of equal values it is that value to the last digit. */
export function exactMean([first = 0, ...rest]: readonly number[]): number {
  const beyond = rest.reduce((total, value) => total + (value - first), 0);
  return first + beyond / (rest.length + 1);
}

/** The mean over sessions with its interval; a family counts once, by its own mean. */
export function estimateMean(
  means: ReadonlyMap<string, number>,
  sampling: Sampling,
  range?: Interval,
) {
  const values = clustersOf(means, sampling).map(exactMean);
  const [first] = values;
  // Resamples of what is always the same are all the same.
  const isSame = first !== undefined && values.length > 1 && values.every((one) => one === first);
  const pairs = values.map((b) => ({ a: 0, b }));
  const found = isSame
    ? { value: first, interval: { low: first, high: first } }
    : pairedMeanDifference(pairs, sampling);
  return { ...toEstimate(found, range), ...countSessions(means.keys(), sampling) };
}

export function toEstimate(
  found: Pick<MeanDifference, 'value' | 'interval'> | undefined,
  range: Interval = { low: -Infinity, high: Infinity },
) {
  const interval = found?.interval ?? null;
  const ends = interval === null ? { low: null, high: null } : clip(interval, range);
  return { mean: found?.value ?? null, ...ends };
}

/** A number that is no mean, with its interval by resamples of clusters, of few by a jackknife with Student's t. */
export function estimateStatistic<Cluster>(
  clusters: readonly Cluster[],
  of: (drawn: readonly Cluster[]) => number | null,
  { seed, range }: { readonly seed: number; readonly range?: Interval },
) {
  const { length } = clusters;
  const value = length === 0 ? null : of(clusters);
  if (value === null) return toEstimate(undefined);
  const found: (number | null)[] = [];
  const isFew = length < FEW_CLUSTERS;
  if (isFew) found.push(...clusters.map((_, index) => of(clusters.toSpliced(index, 1))));
  else {
    drawResamples(length, { seed, resamples: DESCRIPTIVE_RESAMPLES }, (indices) => {
      found.push(of(Array.from(indices).flatMap((index) => clusters.slice(index, index + 1))));
    });
  }
  const values = found.filter((one) => one !== null);
  if (values.length < found.length) return toEstimate({ value, interval: null }, range);
  const interval = isFew
    ? tInterval(values.map((rest) => length * value - (length - 1) * rest))
    : percentileInterval(values, length);
  return toEstimate({ value, interval }, range);
}

export function clusterIn({ families }: Pick<Sampling, 'families'>, session: string) {
  return clusterOf({ session, family: families.get(session) });
}

export function clustersOf<Value>(sessions: ReadonlyMap<string, Value>, sampling: Sampling) {
  const clusters = groupBy([...sessions], ([session]) => clusterIn(sampling, session));
  return [...clusters.values()].map((own) => own.map(([, value]) => value));
}

export function countSessions(sessions: Iterable<string>, { families: all }: Sampling) {
  const members = [...sessions].map((session) => ({ session, family: all.get(session) }));
  const { sessions: count, families } = countEvidence(members);
  return { sessions: count, ...(families < count && { families }) };
}
