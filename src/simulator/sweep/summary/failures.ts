import type { SweepFailure } from '../../report/sweep/sweep-report.ts';
import type { ResultRow } from '../result-row.ts';

/** Collects why runs failed, in the order in which the reasons first came. */
export interface FailureCollector {
  add(row: Pick<ResultRow, 'state' | 'reason' | 'session' | 'cell'>): void;
  /** By reason, the most frequent first. */
  found(): readonly SweepFailure[];
}

/** Reasons that are told apart; runs that failed for others stand in the rows alone. */
const MOST_REASONS = 20;

/** A collector that knows of no failure yet. */
export function collectFailures(): FailureCollector {
  const byReason = new Map<string, SweepFailure>();
  return {
    add: ({ state, reason = 'no reason given', session, cell }) => {
      if (state !== 'failed') return;
      const known = byReason.get(reason);
      if (known !== undefined) byReason.set(reason, { ...known, times: known.times + 1 });
      else if (byReason.size < MOST_REASONS)
        byReason.set(reason, { reason, times: 1, session, cell });
    },
    found: () => [...byReason.values()].toSorted((one, other) => other.times - one.times),
  };
}
