import type { Comparison, SideOrigin } from '../../report/compare/comparison.ts';
import { countEvidence } from '../../metrics/evidence.ts';
import type { UnreadInput } from '../../report/report.ts';
import { compareCosts, compareMetrics } from './compare-pairs.ts';
import { findMostDifferent } from './most-different.ts';
import { pairSides, type Side } from './pair-sides.ts';

/** Two sides compared, or why they cannot be. */
export type ComparisonOutcome =
  | { readonly state: 'compared'; readonly comparison: Comparison }
  | { readonly state: 'incomparable'; readonly reason: string };

/** What a comparison is made with besides its sides. */
export interface CompareOptions {
  /** Of the resamples. */
  readonly seed: number;
  readonly unread?: readonly UnreadInput[];
}

/** Compares two sides, paired by session. */
export function compareSides(
  a: Side,
  b: Side,
  { seed, unread = [] }: CompareOptions,
): ComparisonOutcome {
  const pairing = pairSides(a, b);
  if (pairing.state === 'incomparable') return pairing;
  const { pairs, leftOut } = pairing;
  const metrics = compareMetrics(pairs, seed);
  const comparison = {
    a: a.name,
    b: b.name,
    origins: { a: originOf(a), b: originOf(b) },
    model: namesOf(a.rows.map(({ model }) => model)),
    summarizer: namesOf(a.rows.map(({ summarizer }) => summarizer)),
    mode: a.mode,
    seed,
    pairs: pairs.length,
    ...countEvidence(pairs),
    cost: compareCosts(pairs, metrics, seed),
    metrics,
    mostDifferent: findMostDifferent(pairs, metrics),
    leftOut,
    failedRuns: [...a.rows, ...b.rows].filter(({ state }) => state === 'failed').length,
    unread,
  };
  return { state: 'compared', comparison };
}

function originOf({ origin, rows }: Side): SideOrigin {
  return { policies: [...new Set(rows.map(({ policy }) => policy))], ...origin };
}

function namesOf(names: readonly string[]): string {
  return [...new Set(names)].join(', ');
}
