import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { groupBy } from '../../group-by.ts';
import { armKey } from './comparable.ts';

/** How often sessions were run under an arm. */
interface RepeatCount {
  readonly repeats: number;
  /** Of the arm and the session that have the fewest; absent where all have as many. */
  readonly leastRepeats?: number;
}

/** How often sessions were run, as rows have it; by the plan where there is no row. */
export function countRepeats(rows: readonly SummaryRow[], planned: number): RepeatCount {
  const groups = groupBy(rows, (row) => JSON.stringify([armKey(row), row.scenario]));
  const counts = [...groups.values()].map(({ length }) => length);
  if (counts.length === 0) return { repeats: planned };
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return { repeats: most, ...(least < most && { leastRepeats: least }) };
}
