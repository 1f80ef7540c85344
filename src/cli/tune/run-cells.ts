import { addedBy } from '../../simulator/metrics/metrics.ts';
import {
  countRecordedModels,
  type RecordedModels,
} from '../../simulator/report/recorded-models.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { PlannedSession } from '../../simulator/sweep/plan/plan.ts';
import type { ResultRow } from '../../simulator/sweep/result-row.ts';
import { runGrid } from '../../simulator/sweep/run-grid.ts';
import { SHOWN_METRICS } from '../../simulator/sweep/tune/describe-front.ts';
import { neededFor } from '../../simulator/sweep/tune/feasibility.ts';
import { SIZE_METRIC } from '../../simulator/sweep/tune/tune.ts';
import { type Observation, REFUSALS } from '../../simulator/sweep/tune/tune-table.ts';
import { countsFolder } from '../options/cache-folder.ts';
import type { CliIo } from '../process/io.ts';
import { toLiveCells } from '../models/live-cells.ts';
import { withProgress } from '../process/progress.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import type { TunePlan } from './plan.ts';
import { isStopped } from '../process/is-stopped.ts';

/** What every session came to in every cell. */
export interface Observed {
  readonly observations: readonly Observation[];
  readonly unread: readonly UnreadInput[];
  readonly recorded: RecordedModels;
}

/** Runs every session in every cell; `undefined` if the user wanted to stop. */
export async function observe(
  plan: TunePlan,
  { inputs, jobs }: { readonly inputs: RunInputs; readonly jobs: number },
  io: CliIo,
): Promise<Observed | undefined> {
  const observations: Observation[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const sessions: PlannedSession[] = [];
  const needed = neededMetrics(plan);
  await withProgress(io, async (show) => {
    const rows = runGrid({
      files: inputs.files,
      nameOf: (path) => inputs.nameOf(path),
      cells: plan.cells,
      seeds: [plan.seed],
      live: plan.models && toLiveCells(plan.models),
      jobs,
      cacheFolder: countsFolder(io.cache ?? {}, io.env),
      signal: io.signal,
      onPlanned: (found) => {
        unread.push(...found.unread);
        sessions.push(...found.sessions);
        noteDropped(io, found.dropped);
      },
      onProgress: ({ done, total, session }) => show({ file: session, index: done, total }),
    });
    for await (const row of rows) {
      observations.push(toObservation(row, needed));
      if (await isStopped(io)) return;
    }
  });
  return io.signal.aborted
    ? undefined
    : { observations, unread, recorded: countRecordedModels(sessions) };
}

function neededMetrics({ objectives, constraints }: TunePlan): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  return [...new Set([...names, ...SHOWN_METRICS, REFUSALS, SIZE_METRIC])];
}

/** Only what is asked for is kept of a row: there may be a million of them. */
function toObservation(row: ResultRow, needed: readonly string[]): Observation {
  const { cell, session, family, state, reason, eventDigest } = row;
  const metrics: Readonly<Record<string, number | null>> = row.metrics;
  const values = Object.fromEntries(needed.map((name) => [name, addedBy(metrics, name)]));
  return { cell, session, family, state, reason, digest: eventDigest, values };
}
