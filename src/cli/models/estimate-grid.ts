import { setImmediate } from 'node:timers/promises';
import { runLive } from '../../simulator/sweep/live/run-live.ts';
import { planSweep, type PlanOptions } from '../../simulator/sweep/plan/plan.ts';
import { partPlaces, tasksOf } from '../../simulator/sweep/run-plan.ts';
import { countsFolder } from '../options/cache-folder.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { type GridModels, toLiveCells } from './live-cells.ts';
import { noModel, printEstimates } from './report.ts';
import { noInput } from '../inputs/no-input.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';

/** A grid whose price is to be told. */
export interface EstimatedGrid extends Pick<PlanOptions, 'cells' | 'seeds'> {
  readonly models?: GridModels | undefined;
}

/** Prints what the real models of a grid might cost over some sessions, and asks none; the exit code. */
export async function estimateGrid(
  { cells, seeds, models }: EstimatedGrid,
  inputs: RunInputs,
  io: CliIo,
): Promise<number> {
  if (models === undefined) throw noModel(namesOf(cells));
  const plan = await planSweep({ ...inputs, cells, seeds, signal: io.signal });
  if (plan === undefined) return EXIT.interrupted;
  if (plan.sessions.length === 0) {
    throw noInput([...inputs.unread, ...plan.unread]);
  }
  const live = toLiveCells(models);
  const { own: isDone } = partPlaces(plan, { live, isDone: () => false });
  const tasks = tasksOf(plan, [...plan.sessions.keys()], { isDone });
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  for await (const _ of runLive(plan, tasks, { live, cacheFolder, signal: io.signal })) {
    // What stands in answers at once; a signal is heard only between two sessions.
    await setImmediate();
  }
  if (io.signal.aborted) return EXIT.interrupted;
  printEstimates(io, models.registry, namesOf(cells));
  return EXIT.done;
}

function namesOf(cells: EstimatedGrid['cells']): string {
  return [...new Set(cells.map(({ summarizer }) => summarizer))].join(', ');
}
