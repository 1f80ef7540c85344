import { joinGroups } from '../join-groups.ts';
import type { RunKey } from '../metrics/record.ts';
import { groupBy } from '../group-by.ts';

/** A row as far as it tells of families. */
type FamilyRow = Pick<RunKey, 'session'> & { readonly family?: string | undefined };

/**
 * The sessions that are in a family on any of some sides, each with the first by name of it. A side that was run
 * without some sessions knows less than another one, but never anything else.
 */
export function joinFamilies(
  sides: readonly { readonly rows: readonly FamilyRow[] }[],
): ReadonlyMap<string, string> {
  const families = sides.flatMap(({ rows }) => [...groupBy(rows, ({ family }) => family)]);
  // Whoever a family is called by is of it, even if no row of its own says so.
  return joinGroups(
    families.map(([name, rows]) => [...new Set([name, ...rows.map(({ session }) => session)])]),
  );
}
