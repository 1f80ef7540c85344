import { type BootstrapOptions, drawResamples } from './bootstrap.ts';
import { type Estimate, percentileInterval } from './interval.ts';
import { FEW_CLUSTERS } from './mean-difference.ts';

/** A number, and which cluster it is of. */
interface Placed {
  readonly value: number;
  readonly cluster: number;
}

/**
 * A quantile of the numbers of all clusters, with the interval over clusters drawn again; of few clusters without an
 * interval, `undefined` without any number. Source: evaluation design, section 9.5.
 */
export function pooledQuantile(
  clusters: readonly (readonly number[])[],
  share: number,
  options: BootstrapOptions,
): Estimate | undefined {
  const sorted = clusters
    .flatMap((values, cluster) => values.map((value): Placed => ({ value, cluster })))
    .toSorted((a, b) => a.value - b.value);
  const value = quantileOf(sorted, share, new Uint32Array(clusters.length).fill(1));
  if (value === undefined) return undefined;
  const known = clusters.filter((values) => values.length > 0);
  if (known.length < FEW_CLUSTERS) return { value, interval: null };
  const resampled: number[] = [];
  drawResamples(clusters.length, options, (drawn) => {
    resampled.push(quantileOf(sorted, share, timesDrawn(drawn)) ?? value);
  });
  return { value, interval: percentileInterval(resampled, known.length) };
}

function timesDrawn(drawn: Uint32Array): Uint32Array {
  const times = new Uint32Array(drawn.length);
  for (const cluster of drawn) times[cluster] = (times[cluster] ?? 0) + 1;
  return times;
}

/** The smallest number that at least such a share is not above, each counted as often as its cluster was drawn. */
function quantileOf(
  sorted: readonly Placed[],
  share: number,
  times: Uint32Array,
): number | undefined {
  let total = 0;
  for (const { cluster } of sorted) total += times[cluster] ?? 0;
  let rest = share * total;
  for (const { value, cluster } of sorted) {
    rest -= times[cluster] ?? 0;
    if (rest <= 0 && (times[cluster] ?? 0) > 0) return value;
  }
  return undefined;
}
