import { mean } from 'simple-statistics';
import { addToGroup, sum } from '../../lib/collections.ts';

/** One observation under both arms, on the same session and with the same random numbers. */
export interface Pair {
  readonly a: number;
  readonly b: number;
  /** What observations that are not independent have in common; each stands alone where it is absent. */
  readonly cluster?: string;
}

/** What the second arm has over the first. */
export function differenceOf({ a, b }: Pair): number {
  return b - a;
}

/** Values of some pairs, those of one cluster together, in the order of first appearance. */
export function groupByCluster(
  pairs: readonly Pair[],
  valueOf: (pair: Pair) => number,
): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const [index, pair] of pairs.entries()) {
    const key = pair.cluster === undefined ? `pair ${index}` : `cluster ${pair.cluster}`;
    addToGroup(groups, key, valueOf(pair));
  }
  return [...groups.values()];
}

/**
 * The mean of each cluster, which is one observation however many pairs it has.
 * Source: evaluation design, section 9.5.
 */
export function clusterMeans(
  pairs: readonly Pair[],
  valueOf: (pair: Pair) => number,
): readonly number[] {
  return groupByCluster(pairs, valueOf).map((values) => mean([...values]));
}

/** The mean of each arm over clusters; 0 of no pairs. */
export function pairMeans(pairs: readonly Pair[]): { readonly a: number; readonly b: number } {
  const meanOf = (valueOf: (pair: Pair) => number) => {
    const means = clusterMeans(pairs, valueOf);
    return sum(means) / Math.max(1, means.length);
  };
  return { a: meanOf(({ a }) => a), b: meanOf(({ b }) => b) };
}
