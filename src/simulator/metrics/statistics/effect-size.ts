import { mean, sampleStandardDeviation } from 'simple-statistics';
import { isAtMost } from './at-most.ts';
import { LEAST_OBSERVATIONS } from './interval.ts';

/** How paired observations went, where less or more is better. */
export interface Outcomes {
  /** Those in which the second arm is the better one. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** The mean difference in standard deviations of the differences, d_z; `null` where they do not vary. Source: evaluation design, section 9.5. */
export function standardisedDifference(differences: readonly number[]): number | null {
  if (differences.length < LEAST_OBSERVATIONS) return null;
  const spread = sampleStandardDeviation([...differences]);
  return spread === 0 ? null : mean([...differences]) / spread;
}

/** Wins, losses and ties of the second arm, given what each observation has more under it; what rounding makes of a tie is one. */
export function countOutcomes(
  differences: readonly number[],
  better: 'higher' | 'lower',
): Outcomes {
  const above = differences.filter((difference) => !isAtMost(difference, 0)).length;
  const below = differences.filter((difference) => !isAtMost(0, difference)).length;
  const [wins, losses] = better === 'higher' ? [above, below] : [below, above];
  return { wins, losses, ties: differences.length - above - below };
}

/** How likely the second arm is the better one, ties as half; `null` without any. Source: evaluation design, section 9.5. */
export function probabilityOfSuperiority({ wins, losses, ties }: Outcomes): number | null {
  const all = wins + losses + ties;
  return all === 0 ? null : (wins + ties / 2) / all;
}
