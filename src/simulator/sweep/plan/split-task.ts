import { groupBy } from '../../group-by.ts';
import { type ReadRun, tightestFirst } from '../run/order-runs.ts';
import { type SweepTask, taskOf } from '../run/task.ts';

/** Runs that differ, in one piece of a task. */
const RUNS_PER_PIECE = 10;

/**
 * A task in pieces of a few runs each, those first that tell most of others. Runs that read the same stay in one
 * piece, for they are made once.
 */
export function* splitTask(
  { session, runs }: SweepTask,
  readRun: ReadRun,
): Generator<SweepTask, void, void> {
  const groups = groupBy(tightestFirst(runs, readRun), (run) => {
    const { family, thresholds } = readRun(run);
    return JSON.stringify([family, thresholds, run.seed]);
  });
  const all = [...groups.values()];
  for (let start = 0; start < all.length; start += RUNS_PER_PIECE) {
    yield taskOf(session, all.slice(start, start + RUNS_PER_PIECE).flat());
  }
}
