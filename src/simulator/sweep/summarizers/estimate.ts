import { addToGroup, groupBy } from '../../lib/collections.ts';
import {
  clip,
  type Interval,
  percentileInterval,
  SHARE,
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
import type {
  IntervalEstimate,
  MeanEstimate,
  SessionCount,
} from '../../report/summarizers-report.ts';

/** A number of a row; `null` where it is unknown. */
type OfRow = (row: SummaryRow) => number | null;

/** How a number about all clusters together is estimated. */
interface StatisticOptions extends Ranged {
  readonly seed: number;
}

interface Ranged {
  /** Possible range of the number; unlimited if absent. */
  readonly range?: Interval | undefined;
}

/** How intervals are drawn from sessions. */
export interface Sampling {
  readonly seed: number;
  /** The family of each session that shares its beginning with another; those that stand alone are absent. */
  readonly families: ReadonlyMap<string, string>;
}

/** How often a sample is drawn again for a number that is no mean, which takes longer. */
const DESCRIPTIVE_RESAMPLES = 2_000;

/** The mean of each session over its repetitions, without those in which it is unknown. */
export function sessionMeans(rows: readonly SummaryRow[], of: OfRow): ReadonlyMap<string, number> {
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
  { range, ...sampling }: Sampling & Ranged,
): MeanEstimate {
  const values = clustersOf(means, sampling).map(exactMean);
  const counted = countSessions(means.keys(), sampling);
  const [first] = values;
  // Resamples of what is always the same are all the same.
  if (first !== undefined && values.length > 1 && values.every((value) => value === first)) {
    return { mean: first, low: first, high: first, ...counted };
  }
  const pairs = values.map((b) => ({ a: 0, b }));
  return toEstimate(pairedMeanDifference(pairs, sampling), counted, range);
}

/** A mean of shares with its interval, which cannot lie beyond none and all. */
export function estimateShare(
  means: ReadonlyMap<string, number>,
  sampling: Sampling,
): MeanEstimate {
  return estimateMean(means, { ...sampling, range: SHARE });
}

/** An estimate as reports have it; unknown where there is none. */
export function toEstimate(
  found: Pick<MeanDifference, 'value' | 'interval'> | undefined,
  counted: SessionCount,
  range?: Interval,
): MeanEstimate {
  const ends = endsOf(found?.interval ?? null, range);
  return { mean: found?.value ?? null, ...ends, ...counted };
}

/**
 * A number that is no mean, with its interval: by resamples of whole clusters, or where those are few by what each of
 * them adds (a jackknife with Student's t). Unknown where the number is for a resample or without a cluster.
 */
export function estimateStatistic<Cluster>(
  clusters: readonly Cluster[],
  of: (drawn: readonly Cluster[]) => number | null,
  { seed, range }: StatisticOptions,
): IntervalEstimate {
  const mean = clusters.length === 0 ? null : of(clusters);
  if (mean === null) return { mean, low: null, high: null };
  const interval =
    clusters.length < FEW_CLUSTERS
      ? jackknifeInterval(clusters, of, mean)
      : resampledInterval(clusters, of, seed);
  return { mean, ...endsOf(interval, range) };
}

/** The cluster of dependent sessions: their family, or the session alone. */
export function clusterIn({ families }: Pick<Sampling, 'families'>, session: string): string {
  return clusterOf({ session, family: families.get(session) });
}

/** Values of sessions, grouped by family in the order of first appearance. */
export function clustersOf<Value>(
  sessions: ReadonlyMap<string, Value>,
  sampling: Pick<Sampling, 'families'>,
): readonly (readonly Value[])[] {
  const clusters = groupBy([...sessions], ([session]) => clusterIn(sampling, session));
  return [...clusters.values()].map((own) => own.map(([, value]) => value));
}

/** How many sessions there are, and of how many families where they are not all independent. */
export function countSessions(
  sessions: Iterable<string>,
  { families: all }: Pick<Sampling, 'families'>,
): SessionCount {
  const members = [...sessions].map((session) => ({ session, family: all.get(session) }));
  const { sessions: count, families } = countEvidence(members);
  return { sessions: count, ...(families < count && { families }) };
}

function endsOf(
  interval: Interval | null,
  range: Interval | undefined,
): Pick<IntervalEstimate, 'low' | 'high'> {
  if (interval === null) return { low: null, high: null };
  return range === undefined ? interval : clip(interval, range);
}

function jackknifeInterval<Cluster>(
  clusters: readonly Cluster[],
  of: (drawn: readonly Cluster[]) => number | null,
  whole: number,
): Interval | null {
  const { length } = clusters;
  const pseudo = clusters.map((_, index) => {
    const rest = of(clusters.toSpliced(index, 1));
    return rest === null ? null : length * whole - (length - 1) * rest;
  });
  const known = pseudo.filter((value) => value !== null);
  return known.length < length ? null : tInterval(known);
}

function resampledInterval<Cluster>(
  clusters: readonly Cluster[],
  of: (drawn: readonly Cluster[]) => number | null,
  seed: number,
): Interval | null {
  const values: number[] = [];
  drawResamples(clusters.length, { seed, resamples: DESCRIPTIVE_RESAMPLES }, (indices) => {
    const drawn = Array.from(indices, (index) => clusters[index]).filter(
      (cluster) => cluster !== undefined,
    );
    const value = of(drawn);
    if (value !== null) values.push(value);
  });
  return values.length < DESCRIPTIVE_RESAMPLES ? null : percentileInterval(values, clusters.length);
}
