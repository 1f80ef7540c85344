import {
  type Proportion,
  ruleOfThree,
  wilsonInterval,
} from '../../metrics/statistics/proportion.ts';
import type { MustFacts } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { groupBy } from '../../group-by.ts';
import { sum } from '../../sum.ts';
import { exactMean } from './estimate.ts';
import { clustersOf, type Sampling } from './sampling.ts';
import { withoutCopies } from './without-copies.ts';

/**
 * The facts that must be kept, and how often they may be dropped. A repetition that cannot differ is no further evidence,
 * and a family no more than one of its sessions.
 */
export function countMustFacts(rows: readonly SummaryRow[], sampling: Sampling): MustFacts {
  const sessions = [...groupBy(withoutCopies(rows), ({ scenario }) => scenario)].map(
    ([session, own]) => {
      const pivots = own.flatMap((row) => row.pivots);
      const of = sum(pivots.map(({ mustFacts }) => mustFacts));
      return [session, { of, hits: sum(pivots.map(({ mustDropped }) => mustDropped)) }] as const;
    },
  );
  const asked = sessions.filter(([, { of }]) => of > 0);
  const all = addUp(asked.map(([, counts]) => counts));
  const independent = addUp(
    clustersOf(new Map(asked), sampling).map((counts) => ({
      of: exactMean(counts.map(({ of }) => of)),
      hits: exactMean(counts.map(({ hits }) => hits)),
    })),
  );
  return { of: all.of, dropped: all.hits, highestRate: highestRateOf(independent) };
}

function addUp(counts: readonly Proportion[]): Proportion {
  return { of: sum(counts.map(({ of }) => of)), hits: sum(counts.map(({ hits }) => hits)) };
}

function highestRateOf({ hits, of }: Proportion): number | null {
  if (of === 0) return null;
  return hits === 0 ? ruleOfThree(of) : wilsonInterval({ hits, of }).high;
}
