import { setImmediate } from 'node:timers/promises';
import { keepIn } from '../keep-in.ts';
import type { Cell } from './grid/cell.ts';
import type { LiveCells } from './live/live-cells.ts';
import { runLive } from './live/run-live.ts';
import { largestFirst } from './plan/order-sessions.ts';
import { type SweepPlan, toTask } from './plan/plan.ts';
import { splitTask } from './plan/split-task.ts';
import type { Pool } from './pool/pool.ts';
import { createTaskContext, type OpenTaskContext } from './run/task-context.ts';
import { type EffectiveCell, readCell } from './run/effective-key.ts';
import { cellOf, toUnrunLine } from './run/row.ts';
import { runTask, type TaskContext } from './run/run-task.ts';
import { byId, type FinishedRun, type SweepTask, type TaskRun } from './run/task.ts';

/** How a plan is carried out. */
export interface RunPlanOptions {
  /** Threads for the cells that ask no real model; the calling one does all of it where there is none. */
  readonly pool?: Pool | undefined;
  /** Whether the row of that place is there already. */
  readonly isDone: (place: number) => boolean;
  /** Folder of token counts that other processes may use at the same time. */
  readonly cacheFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Cells that ask real models; none by default. */
  readonly live?: LiveCells | undefined;
}

type IsDone = RunPlanOptions['isDone'];

/** The cells of a plan by default. */
type AtOnceOptions = RunPlanOptions & { readonly cells?: readonly Cell[] };

/** A session of this size takes longer to run in all cells than to be prepared by another thread. */
const LARGE_SESSION_CHARS = 200_000;

/**
 * The rows of a plan that are not there, as they are finished: in their order where there is no pool and no real
 * model is asked. Cells that ask one come last, and stay in the calling thread.
 */
export async function* runPlan(
  plan: SweepPlan,
  options: RunPlanOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { live } = options;
  if (live === undefined) {
    yield* runAtOnce(plan, options);
    return;
  }
  const { own, others } = partPlaces(plan, { ...options, live });
  const cells = plan.cells.filter((cell) => !live.isLive(cell));
  if (cells.length > 0) yield* runAtOnce(plan, { ...options, cells, isDone: others });
  if (options.signal?.aborted) return;
  const all = [...plan.sessions.keys()];
  yield* skippedRows(plan, all, { isDone: own });
  yield* runLive(plan, tasksOf(plan, all, { isDone: own }), { ...options, live });
}

/** Which places are done, or no matter, to the cells that ask real models and to the others. */
export function partPlaces(
  { cells, seeds }: SweepPlan,
  { isDone, live }: Pick<RunPlanOptions, 'isDone'> & { readonly live: Pick<LiveCells, 'isLive'> },
): { readonly own: IsDone; readonly others: IsDone } {
  const areLive = cells.map((cell) => live.isLive(cell));
  const isLive = (place: number) => areLive[Math.floor(place / seeds.length) % cells.length];
  return {
    own: (place) => isLive(place) !== true || isDone(place),
    others: (place) => isLive(place) === true || isDone(place),
  };
}

/** A large session keeps no thread alone at the end: its cells are shared out, those that run alike together. */
export function* splitTasks(
  plan: SweepPlan,
  tasks: Iterable<SweepTask>,
): Generator<SweepTask, void, void> {
  const cells = byId(plan.cells);
  const read = new Map<string, EffectiveCell>();
  const readRun = (run: TaskRun) => keepIn(read, run.cell, () => readCell(cellOf(run, cells)));
  const sizes = new Map(plan.sessions.map(({ ref, size }) => [ref.name, size]));
  for (const task of tasks) {
    const isLarge = (sizes.get(task.session.name) ?? 0) >= LARGE_SESSION_CHARS;
    if (isLarge) yield* splitTask(task, readRun);
    else yield task;
  }
}

/** Tasks, made one by one, so that a sweep of many sessions does not hold them all. */
export function* tasksOf(
  plan: SweepPlan,
  indices: readonly number[],
  { isDone }: Pick<RunPlanOptions, 'isDone'>,
): Generator<SweepTask, void, void> {
  for (const index of indices) {
    const task = isSkipped(plan, index) ? undefined : toTask(plan, index, isDone);
    if (task) yield task;
  }
}

/** Rows of sessions that are not run. */
export function* skippedRows(
  plan: SweepPlan,
  indices: readonly number[],
  { isDone }: Pick<RunPlanOptions, 'isDone'>,
): Generator<FinishedRun, void, void> {
  const cells = byId(plan.cells);
  for (const index of indices) {
    const session = plan.sessions[index];
    if (session?.skipped === undefined) continue;
    const ending = { state: 'skipped', reason: session.skipped } as const;
    for (const run of toTask(plan, index, isDone)?.runs ?? []) {
      const at = { cell: cellOf(run, cells), run };
      yield { place: run.place, line: toUnrunLine(session.ref, at, ending) };
    }
  }
}

async function* runAtOnce(
  plan: SweepPlan,
  options: AtOnceOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { pool, signal } = options;
  if (pool === undefined) {
    yield* runHere(plan, options);
    return;
  }
  const all = [...plan.sessions.keys()];
  yield* skippedRows(plan, all, options);
  const left = all.filter((index) => hasWork(plan, index, options));
  if (left.length === 0) return;
  const tasks = splitTasks(plan, tasksOf(plan, largestFirst(plan.sessions, left), options));
  yield* pool.run({ tasks, signal });
}

async function* runHere(
  plan: SweepPlan,
  options: AtOnceOptions,
): AsyncGenerator<FinishedRun, void, void> {
  let context: OpenTaskContext | undefined;
  try {
    for (const index of plan.sessions.keys()) {
      yield* skippedRows(plan, [index], options);
      for (const task of tasksOf(plan, [index], options)) {
        context ??= await createTaskContext(options.cells ?? plan.cells, options);
        yield* runUntil(task, context);
      }
      if (options.signal?.aborted) return;
    }
  } finally {
    context?.save();
  }
}

/** A run blocks; a signal is heard only between two of them. */
async function* runUntil(
  task: SweepTask,
  context: TaskContext,
): AsyncGenerator<FinishedRun, void, void> {
  for await (const rows of runTask(task, context)) {
    yield* rows;
    await setImmediate();
    if (context.signal?.aborted) return;
  }
}

function hasWork(plan: SweepPlan, index: number, { isDone }: RunPlanOptions): boolean {
  const rows = plan.cells.length * plan.seeds.length;
  const places = Array.from({ length: rows }, (_, place) => index * rows + place);
  return !isSkipped(plan, index) && !places.every(isDone);
}

function isSkipped({ sessions }: SweepPlan, index: number): boolean {
  return sessions[index]?.skipped !== undefined;
}
