import { setImmediate } from 'node:timers/promises';
import type { Cell } from './grid.ts';
import {
  doneIn,
  type IsDone,
  type PlanOptions,
  planSweep,
  skippedRows,
  splitTasks,
  type SweepPlan,
  tasksOf,
} from './plan.ts';
import { createInbox, openPool, type Pool } from './pool/pool.ts';
import {
  createTaskContext,
  type LiveCells,
  type OpenTaskContext,
  runTask,
  startLiveTask,
  type TaskContext,
  createMeeting,
} from './run/run-task.ts';
import type { FinishedRun, SweepTask, SessionRef } from './run/task.ts';
import type { ResultRow } from './store/read-rows.ts';
import { groupBy } from '../lib/collections.ts';

export interface RunPlanOptions {
  readonly pool?: Pool | undefined;
  readonly isDone: IsDone;
  readonly cacheFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly live?: LiveCells | undefined;
  readonly hasBounds?: boolean | undefined;
}

export async function* runPlan(
  plan: SweepPlan,
  options: RunPlanOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { live, pool, signal } = options;
  const isLive = (cell: Cell) => live?.isLive(cell) === true;
  const cells = plan.cells.filter((cell) => !isLive(cell));
  if (cells.length > 0) {
    const isDone = doneIn(plan, (cell) => !isLive(cell), options.isDone);
    const own = { ...options, isDone };
    yield* pool ? runInPool(plan, cells, { ...own, pool }) : runHere(plan, cells, own);
  }
  if (live === undefined || signal?.aborted) return;
  const isDone = doneIn(plan, isLive, options.isDone);
  const all = [...plan.sessions.keys()];
  yield* skippedRows(plan, all, isDone);
  yield* runLive(plan, tasksOf(plan, all, isDone), { ...options, live });
}

export async function* runLive(
  plan: SweepPlan,
  tasks: Iterator<SweepTask, unknown>,
  options: Pick<RunPlanOptions, 'cacheFolder' | 'signal'> & { readonly live: LiveCells },
): AsyncGenerator<FinishedRun, void, void> {
  const { live, cacheFolder, signal } = options;
  const first = tasks.next();
  if (first.done) return;
  const stop = new AbortController();
  const until = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const cells = plan.cells.filter((cell) => live.isLive(cell));
  const find = (name: string) => live.find(name);
  const opened = await createTaskContext(cells, { cacheFolder, signal: until, find });
  const context = { ...opened, firstSeed: live.firstSeed, adapter: live.adapter };
  const inbox = createInbox<FinishedRun>();
  const take = async (begun?: IteratorResult<SweepTask, unknown>) => {
    for (let next = begun ?? tasks.next(); !next.done; next = tasks.next()) {
      if (until.aborted) return;
      const rows = startLiveTask(next.value, context);
      await Promise.all(rows.map(async (row) => inbox.put(await row)));
    }
  };
  const takers = Array.from({ length: live.tasksAtOnce }, (_, taker) =>
    take(taker === 0 ? first : undefined),
  );
  const over = Promise.all(takers).then(
    () => inbox.close(),
    (error: unknown) => (signal?.aborted ? inbox.close() : inbox.fail(error)),
  );
  try {
    yield* inbox.items();
  } finally {
    stop.abort();
    await over;
  }
}

export async function* runGrid(
  options: PlanOptions &
    Pick<RunPlanOptions, 'cacheFolder' | 'live'> & {
      onPlanned?: (plan: Pick<SweepPlan, 'sessions' | 'unread' | 'dropped'>) => void;
      onProgress?: (progress: {
        readonly done: number;
        readonly total: number;
        readonly session: string;
      }) => void;
    },
): AsyncGenerator<ResultRow, void, void> {
  const { jobs = 1, cacheFolder } = options;
  const pool = openPool({ jobs, cacheFolder });
  try {
    const plan = await planSweep(options);
    if (plan === undefined) return;
    options.onPlanned?.(plan);
    const total = plan.sessions.length * plan.cells.length * plan.seeds.length;
    let done = 0;
    for await (const { line } of runPlan(plan, { ...options, pool, isDone: () => false })) {
      const row: ResultRow = JSON.parse(line);
      done += 1;
      options.onProgress?.({ done, total, session: row.session });
      yield row;
    }
  } finally {
    await pool?.close();
  }
}

/** Sessions by their indices, large ones first; those of one file follow one another. */
export function largestFirst(
  sessions: readonly {
    readonly ref: Pick<SessionRef, 'file'>;
    readonly size: number;
  }[],
  indices: readonly number[],
) {
  const sizeOf = (index: number) => sessions[index]?.size ?? 0;
  const bySize = indices.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return [...groupBy(bySize, (index) => sessions[index]?.ref.file).values()].flat();
}

async function* runInPool(
  plan: SweepPlan,
  cells: readonly Cell[],
  options: RunPlanOptions & { readonly pool: Pool },
): AsyncGenerator<FinishedRun, void, void> {
  const { pool, isDone, signal } = options;
  const left: number[] = [];
  const context = await createTaskContext(cells, options);
  for (const index of plan.sessions.keys()) {
    yield* skippedRows(plan, [index], isDone);
    for (const task of tasksOf(plan, [index], isDone)) {
      if (isKnown(task, context)) yield* runUntil(task, context);
      else left.push(index);
    }
    if (signal?.aborted) return;
  }
  if (left.length === 0) return;
  const tasks = splitTasks(plan, tasksOf(plan, largestFirst(plan.sessions, left), isDone));
  yield* pool.run({ cells, tasks, signal });
}

async function* runHere(plan: SweepPlan, cells: readonly Cell[], options: RunPlanOptions) {
  const { isDone, signal } = options;
  let context: OpenTaskContext | undefined;
  for (const index of plan.sessions.keys()) {
    yield* skippedRows(plan, [index], isDone);
    for (const task of tasksOf(plan, [index], isDone)) {
      context ??= await createTaskContext(cells, options);
      yield* runUntil(task, context);
    }
    if (signal?.aborted) return;
  }
}

/** A run blocks; a signal is heard only between two of them. */
async function* runUntil(task: SweepTask, context: TaskContext) {
  for await (const rows of runTask(task, context)) {
    yield* rows;
    await setImmediate();
    if (context.signal?.aborted) return;
  }
}

/** Returns true if nothing has to be made for a task: all of its runs are known. */
function isKnown({ session, runs }: SweepTask, context: TaskContext) {
  const { read } = createMeeting(session, context.cells);
  const { outcomes } = context.prepare(session);
  return runs.every((run) => outcomes.find({ cell: read(run), seed: run.seed }) !== undefined);
}
