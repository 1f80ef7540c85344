import { mean } from 'simple-statistics';
import { type BootstrapOptions, bootstrapMeans, RESAMPLES } from './bootstrap.ts';
import { type Estimate, LEAST_OBSERVATIONS, percentileInterval } from './interval.ts';
import { bootstrapPValue } from './p-value.ts';
import { clusterMeans, differenceOf, type Pair } from './pair.ts';
import { tInterval, tPValue } from './student.ts';

/** How much more the second arm has on average, and how surprising that is. */
export interface MeanDifference extends Estimate {
  /** `null` where the sample is too small. */
  readonly pValue: number | null;
}

/** Clusters below which resamples are too much alike, so that Student's t stands for them. */
export const FEW_CLUSTERS = 10;

/**
 * The mean of paired differences, averaged within each cluster first, with a bootstrap of clusters; `undefined`
 * without any pair. Too narrow for dollars of fewer than some hundred pairs, whose tail is long: there the geometric
 * cost ratio stands.
 * Source: evaluation design, section 9.5.
 */
export function pairedMeanDifference(
  pairs: readonly Pair[],
  options: BootstrapOptions,
): MeanDifference | undefined {
  if (pairs.length === 0) return undefined;
  const differences = clusterMeans(pairs, differenceOf);
  const value = mean([...differences]);
  if (differences.length < LEAST_OBSERVATIONS) return { value, interval: null, pValue: null };
  if (differences.length < FEW_CLUSTERS) return { value, ...ofFew(differences, options) };
  const means = bootstrapMeans(differences, options);
  const { length } = differences;
  return {
    value,
    interval: percentileInterval(means, length),
    pValue: bootstrapPValue(means, length),
  };
}

/** As certain as a bootstrap can be at most, and as a test of signs where all are alike, of whose spread nothing is known. */
function ofFew(differences: readonly number[], { resamples = RESAMPLES }: BootstrapOptions) {
  const ofSigns = isOneAmount(differences) ? 2 ** (1 - differences.length) : 0;
  const pValue = Math.max(tPValue(differences), 1 / (resamples + 1), ofSigns);
  return { interval: tInterval(differences), pValue };
}

/** No difference anywhere is none as far as can be told. */
function isOneAmount([first, ...rest]: readonly number[]): boolean {
  return first !== 0 && rest.every((difference) => difference === first);
}
