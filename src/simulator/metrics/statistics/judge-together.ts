import { CONFIDENCE } from './interval.ts';
import { adjustByHolm } from './p-value.ts';
import type { Verdict } from './verdict.ts';

/** One of several tests. */
export interface Tested {
  /** What its own interval says. */
  readonly verdict: Verdict;
  /** Absent or `null` where there is none: such a test is not counted among the others. */
  readonly pValue?: number | null;
}

/** Above it a difference is within noise, as where an interval holds both a difference and none. */
const LARGEST_P_VALUE = 1 - CONFIDENCE;

/**
 * Tests that are made at once: p-values adjusted by Holm's method, and a difference that is not certain among so many
 * is within noise; but the verdict of a test that is kept is its own. Source: evaluation design, section 9.5.
 */
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
    return { ...test, pValue, verdict: isKept(test) ? test.verdict : amongOthers(test, pValue) };
  });
}

function amongOthers({ verdict }: Tested, adjusted: number): Verdict {
  const isDifference = verdict === 'lower' || verdict === 'higher';
  return isDifference && adjusted > LARGEST_P_VALUE ? 'within noise' : verdict;
}
