import type { ScenarioRecord } from './baseline.ts';

/**
 * A record with the runs of an earlier one that were not made again, in their places; nothing of one of another file,
 * whose runs are others.
 */
export function withEarlierRuns(
  record: ScenarioRecord,
  earlier: ScenarioRecord | undefined,
): ScenarioRecord {
  if (earlier?.source !== record.source) return record;
  const runs = new Map([...earlier.runs, ...record.runs].map((run) => [run.run, run]));
  return { ...record, runs: [...runs.values()] };
}
