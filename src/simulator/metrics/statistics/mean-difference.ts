import { mean } from 'simple-statistics';
import { type BootstrapOptions, bootstrapMeans, RESAMPLES } from './bootstrap.ts';
import { type Estimate, LEAST_OBSERVATIONS, percentileInterval } from './interval.ts';
import { bootstrapPValue } from './p-value.ts';
import { differenceOf, groupByCluster, type Pair } from './pair.ts';
import { tInterval, tPValue } from './student.ts';

/** How much more the second arm has on average, and how surprising that is. */
export interface MeanDifference extends Estimate {
  /** `null` where the sample is too small. */
  readonly pValue: number | null;
}

/** Clusters below which resamples are too much alike, so that Student's t stands for them. */
export const FEW_CLUSTERS = 10;

/**
 * The mean of paired differences with a cluster bootstrap; `undefined` without any pair. Too narrow for dollars
 * of fewer than some hundred pairs, whose tail is long: there the geometric cost ratio stands.
 * Source: evaluation design, section 9.5.
 */
export function pairedMeanDifference(
  pairs: readonly Pair[],
  options: BootstrapOptions,
): MeanDifference | undefined {
  if (pairs.length === 0) return undefined;
  const clusters = groupByCluster(pairs, differenceOf);
  const value = mean(clusters.flat());
  if (clusters.length < LEAST_OBSERVATIONS) return { value, interval: null, pValue: null };
  if (clusters.length < FEW_CLUSTERS) return { value, ...ofFew(clusters, options) };
  const means = bootstrapMeans(clusters, options);
  return { value, interval: percentileInterval(means), pValue: bootstrapPValue(means) };
}

/** As certain as a bootstrap can be at most. */
function ofFew(
  clusters: readonly (readonly number[])[],
  { resamples = RESAMPLES }: BootstrapOptions,
) {
  const means = clusters.map((values) => mean([...values]));
  const pValue = Math.max(tPValue(means), 1 / (resamples + 1));
  return { interval: tInterval(means), pValue };
}
