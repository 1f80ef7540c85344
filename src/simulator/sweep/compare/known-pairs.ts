import { isAsGoodAsEqual } from '../../metrics/statistics/at-most.ts';
import { clusterMeans, differenceOf, type Pair } from '../../metrics/statistics/pair.ts';
import type { SessionPair } from './pair-sides.ts';

/** A pair whose cluster is the family of its session. */
export interface KnownPair extends Pair {
  readonly arm?: string | undefined;
}

/** Pairs in which a metric is known on both sides; what differs by rounding alone is the same on both. */
export function knownPairs(pairs: readonly SessionPair[], name: string): readonly KnownPair[] {
  return pairs.flatMap(({ family, arm, ...sides }) => {
    const [first, second] = [sides.a[name] ?? null, sides.b[name] ?? null];
    if (first === null || second === null) return [];
    const b = isAsGoodAsEqual(first, second) ? first : second;
    return [{ a: first, b, cluster: family, arm }];
  });
}

/** What each family has more on average under the second arm; under each policy where there are several. */
export function differencesOf(pairs: readonly KnownPair[]): readonly number[] {
  const byArm = pairs.map(({ a, b, cluster, arm }) => {
    return { a, b, cluster: JSON.stringify([cluster, arm]) };
  });
  return clusterMeans(byArm, differenceOf);
}
