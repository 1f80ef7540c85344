import { hashOf } from '../grid/cell.ts';
import type { SweepTask, TaskRun } from '../run/task.ts';

/** Runs that differ, in one piece of a task. */
const RUNS_PER_PIECE = 10;

/** A task in pieces of a few runs each. Runs that share a key stay in one piece, for they are run once. */
export function* splitTask(
  { session, runs }: SweepTask,
  keyOf: (run: TaskRun) => string,
): Generator<SweepTask, void, void> {
  const groups = new Map<string, TaskRun[]>();
  for (const run of runs) {
    const key = `${keyOf(run)} ${run.seed}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(run);
  }
  const all = [...groups.values()];
  for (let start = 0; start < all.length; start += RUNS_PER_PIECE) {
    const piece = all.slice(start, start + RUNS_PER_PIECE).flat();
    const keys = piece.map(({ cell, seed }) => [cell, seed]);
    yield { id: hashOf([session.name, session.hash, keys]), session, runs: piece };
  }
}
