/** How sessions are evidence. */

import { clusterOf, countEvidence } from '../../metrics/evidence.ts';
import type { SessionCount } from '../../report/summarizers/summarizers-report.ts';
import { groupBy } from '../../group-by.ts';

/** How intervals are drawn from sessions. */
export interface Sampling {
  readonly seed: number;
  /** The family of each session that shares its beginning with another; those that stand alone are absent. */
  readonly families: ReadonlyMap<string, string>;
}

/** What sessions have in common that are no independent evidence: their family, or one that stands alone. */
export function clusterIn({ families }: Pick<Sampling, 'families'>, session: string): string {
  return clusterOf({ session, family: families.get(session) });
}

/** What some sessions came to, those of one family together, in the order of first appearance. */
export function clustersOf<Value>(
  sessions: ReadonlyMap<string, Value>,
  sampling: Pick<Sampling, 'families'>,
): readonly (readonly Value[])[] {
  const clusters = groupBy([...sessions], ([session]) => clusterIn(sampling, session));
  return [...clusters.values()].map((own) => own.map(([, value]) => value));
}

/** How many sessions there are, and of how many families where they are not all independent. */
export function countSessions(
  sessions: Iterable<string>,
  { families: all }: Pick<Sampling, 'families'>,
): SessionCount {
  const members = [...sessions].map((session) => ({ session, family: all.get(session) }));
  const { sessions: count, families } = countEvidence(members);
  return { sessions: count, ...(families < count && { families }) };
}
