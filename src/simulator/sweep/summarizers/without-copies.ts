import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import { armKey } from './comparable.ts';

/** Rows of which none is a repetition that cannot differ from another one: of those the first stands for all. */
export function withoutCopies(rows: readonly SummaryRow[]): readonly SummaryRow[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (row.isRandom) return true;
    const key = JSON.stringify([armKey(row), row.scenario]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
