import { joinGroups } from '../../join-groups.ts';
import { groupBy } from '../../session/statistics/group-by.ts';
import type { ComparableRow } from './arm.ts';

/**
 * The sessions that are in a family on any of some sides, each with the first by name of it. A side that was run
 * without some sessions, or by a release that did not tell, knows less than another one, but never anything else.
 */
export function joinFamilies(
  sides: readonly { readonly rows: readonly ComparableRow[] }[],
): ReadonlyMap<string, string> {
  const families = sides.flatMap(({ rows }) => [...groupBy(rows, ({ family }) => family).values()]);
  return joinGroups(families.map((rows) => [...new Set(rows.map(({ session }) => session))]));
}
