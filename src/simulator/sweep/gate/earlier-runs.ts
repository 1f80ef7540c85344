import type { ScenarioRecord } from './baseline.ts';

/** A record with those runs of an earlier one of the same file that were left out now, in their places. */
export function withEarlierRuns(
  record: ScenarioRecord,
  earlier: ScenarioRecord | undefined,
  leftOut: readonly string[],
): ScenarioRecord {
  if (earlier === undefined) return record;
  const kept = earlier.runs.filter(({ run }) => isIn(record, run) || leftOut.includes(run));
  const runs = new Map([...kept, ...record.runs].map((run) => [run.run, run]));
  return { ...record, runs: [...runs.values()] };
}

function isIn({ runs }: ScenarioRecord, name: string): boolean {
  return runs.some(({ run }) => run === name);
}
