/** Source, where no other is given: evaluation design, section 9.5. */

import { mean, sampleStandardDeviation } from 'simple-statistics';
import { CONFIDENCE, type Interval, LEAST_OBSERVATIONS } from './interval.ts';

export type Verdict = 'lower' | 'higher' | 'equivalent' | 'within noise' | 'too few';

interface NoDifference {
  readonly at: number;
  readonly region?: Interval;
}

export interface Tested {
  readonly verdict: Verdict;
  readonly pValue?: number | null;
}

interface Outcomes {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

interface FamilyMember {
  readonly session: string;
  readonly family?: string | undefined;
}

/** Families are the independent evidence. */
export interface CountedFamilies {
  readonly sessions: number;
  readonly families: number;
}

/** A ratio of costs that differs by at most 5 % is none in practice. */
export const SAME_COST: NoDifference = { at: 1, region: { low: 0.95, high: 1.05 } };

/** Retentions within two points count as equivalent. */
export const SAME_RETENTION: NoDifference = { at: 0, region: { low: -0.02, high: 0.02 } };

export const SAME_AMOUNT: NoDifference = { at: 0 };

const LARGEST_P_VALUE = 1 - CONFIDENCE;

/** As a share of the smaller number, or of 1. */
const ROUNDING = 1e-12;

/** Within noise where the interval holds both a difference and none. */
export function judge(interval: Interval | null, { at, region }: NoDifference): Verdict {
  if (interval === null) return 'too few';
  const { low, high } = region ?? { low: at, high: at };
  if (isAtMost(low, interval.low) && isAtMost(interval.high, high)) return 'equivalent';
  if (!isAtMost(at, interval.high)) return 'lower';
  return isAtMost(interval.low, at) ? 'within noise' : 'higher';
}

/** The verdict on the same difference with the opposite sign. */
export function oppositeOf(verdict: Verdict): Verdict {
  if (verdict === 'lower') return 'higher';
  return verdict === 'higher' ? 'lower' : verdict;
}

/** Holm-adjusted tests; an uncertain difference is within noise, unless the test is kept. */
export function judgeTogether<One extends Tested>(
  tests: readonly One[],
  isKept: (test: One) => boolean = () => false,
): readonly One[] {
  const known = tests.flatMap(({ pValue }, index) =>
    typeof pValue === 'number' ? [{ pValue, index }] : [],
  );
  const adjusted = adjustByHolm(known.map(({ pValue }) => pValue));
  const byIndex = new Map(known.map(({ index }, rank) => [index, adjusted[rank] ?? 1]));
  return tests.map((test, index) => {
    const pValue = byIndex.get(index);
    if (pValue === undefined) return test;
    const isDifference = test.verdict === 'lower' || test.verdict === 'higher';
    const isNoise = isDifference && pValue > LARGEST_P_VALUE && !isKept(test);
    return { ...test, pValue, verdict: isNoise ? 'within noise' : test.verdict };
  });
}

/** P-values adjusted by Holm's method, in the order given. */
export function adjustByHolm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, index) => ({ p, index })).toSorted((one, other) => one.p - other.p);
  const adjusted = pValues.map(() => 1);
  let largest = 0;
  for (const [rank, { p, index }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}

/** The mean difference in standard deviations, d_z; `null` where they do not vary. */
export function standardisedDifference(differences: readonly number[]): number | null {
  if (differences.length < LEAST_OBSERVATIONS) return null;
  const spread = sampleStandardDeviation([...differences]);
  return spread === 0 ? null : mean([...differences]) / spread;
}

/** Wins, losses and ties of the second arm, apart from rounding. */
export function countOutcomes(
  differences: readonly number[],
  better: 'higher' | 'lower',
): Outcomes {
  const above = differences.filter((difference) => !isAtMost(difference, 0)).length;
  const below = differences.filter((difference) => !isAtMost(0, difference)).length;
  const [wins, losses] = better === 'higher' ? [above, below] : [below, above];
  return { wins, losses, ties: differences.length - above - below };
}

/** How likely the second arm is better, ties as half; `null` without any. */
export function probabilityOfSuperiority({ wins, losses, ties }: Outcomes): number | null {
  const all = wins + losses + ties;
  return all === 0 ? null : (wins + ties / 2) / all;
}

/** Tests if a number is at most a bound, apart from rounding: `0.92 - 0.9` is at most `0.02`. */
export function isAtMost(value: number, bound: number): boolean {
  if (value <= bound) return true;
  return value - bound <= ROUNDING * Math.max(1, Math.min(Math.abs(value), Math.abs(bound)));
}

export function isAsGoodAsEqual(one: number, other: number): boolean {
  return isAtMost(one, other) && isAtMost(other, one);
}

/** The key of dependent runs: their family, or the session. */
export function clusterOf({ session, family }: FamilyMember): string {
  return family ?? session;
}

/** Sessions, each once, and families. */
export function countEvidence(members: readonly FamilyMember[]): CountedFamilies {
  return {
    sessions: new Set(members.map(({ session }) => session)).size,
    families: new Set(members.map(clusterOf)).size,
  };
}
