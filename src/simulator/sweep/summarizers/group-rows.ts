import type { SummaryRow } from '../../report/summarizers/summary-row.ts';

/** Rows by what a function says of each, in the order of first appearance. */
export function groupRows(
  rows: readonly SummaryRow[],
  keyOf: (row: SummaryRow) => string,
): ReadonlyMap<string, readonly SummaryRow[]> {
  const groups = new Map<string, SummaryRow[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
