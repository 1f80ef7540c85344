import type { ImportReport } from '../session.ts';

/** Counts what an importer dropped and mended, by reason. */
export interface Tally {
  drop(reason: string, count?: number): void;
  repair(reason: string, count?: number): void;
  /** All that another tally has counted. */
  add(report: ImportReport): void;
  toReport(): ImportReport;
}

/** An empty tally. */
export function createTally(): Tally {
  const dropped = new Map<string, number>();
  const repaired = new Map<string, number>();
  return {
    drop: (reason, count = 1) => add(dropped, reason, count),
    repair: (reason, count = 1) => add(repaired, reason, count),
    add: (report) => {
      for (const [reason, count] of Object.entries(report.dropped)) add(dropped, reason, count);
      for (const [reason, count] of Object.entries(report.repaired)) add(repaired, reason, count);
    },
    // Reports outlive sessions; a reason that quotes a record would keep its text in memory.
    toReport: () =>
      structuredClone({
        dropped: Object.fromEntries(dropped),
        repaired: Object.fromEntries(repaired),
      }),
  };
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
}
