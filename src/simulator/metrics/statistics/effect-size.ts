import { mean, sampleStandardDeviation } from 'simple-statistics';
import { LEAST_OBSERVATIONS } from './interval.ts';
import { differenceOf, type Pair } from './pair.ts';

/** How the pairs went, where less or more is better. */
export interface Outcomes {
  /** Pairs in which the second arm is the better one. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** The mean difference in standard deviations of the differences, d_z; `null` where they do not vary. Source: evaluation design, section 9.5. */
export function standardisedDifference(pairs: readonly Pair[]): number | null {
  if (pairs.length < LEAST_OBSERVATIONS) return null;
  const differences = pairs.map(differenceOf);
  const spread = sampleStandardDeviation(differences);
  return spread === 0 ? null : mean(differences) / spread;
}

/** Wins, losses and ties of the second arm. */
export function countOutcomes(pairs: readonly Pair[], better: 'higher' | 'lower'): Outcomes {
  const differences = pairs.map(differenceOf);
  const above = differences.filter((difference) => difference > 0).length;
  const below = differences.filter((difference) => difference < 0).length;
  const [wins, losses] = better === 'higher' ? [above, below] : [below, above];
  return { wins, losses, ties: pairs.length - above - below };
}

/** How likely the second arm is the better one in a pair, ties as half; `null` without any. Source: evaluation design, section 9.5. */
export function probabilityOfSuperiority({ wins, losses, ties }: Outcomes): number | null {
  const pairs = wins + losses + ties;
  return pairs === 0 ? null : (wins + ties / 2) / pairs;
}
