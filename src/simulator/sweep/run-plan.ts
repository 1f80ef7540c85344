import { setImmediate } from 'node:timers/promises';
import type { SetupOf } from '../setup/setup.ts';
import type { Cell } from './grid.ts';
import { type LiveCells, type LiveContext, startLiveTask } from './live.ts';
import { countRows, largestFirst, planSweep, splitTask, type SweepPlan, toTask } from './plan.ts';
import { createInbox, openPool, type Pool } from './pool/pool.ts';
import { toUnrunLine } from './run/row.ts';
import {
  createMeeting,
  createTaskContext,
  type OpenTaskContext,
  runTask,
  type TaskContext,
} from './run/run-task.ts';
import { byId, type FinishedRun, type SweepTask } from './run/task.ts';
import type { ResultRow } from './store/row.ts';

/** How a plan is carried out. */
export interface RunPlanOptions {
  /** Threads for the cells that ask no real model; the calling one does all of it where there is none. */
  readonly pool?: Pool | undefined;
  /** Returns true if the row of a place exists. */
  readonly isDone: (place: number) => boolean;
  /** Folder of token counts that other processes may use at the same time. */
  readonly cacheFolder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Cells that ask real models; none by default. */
  readonly live?: LiveCells | undefined;
  /** Also the fewest losses that are known, in the calling thread; a pool has its own word for its threads. By default so. */
  readonly hasBounds?: boolean | undefined;
}

type IsDone = RunPlanOptions['isDone'];

/** The cells of a plan by default. */
type AtOnceOptions = RunPlanOptions & { readonly cells?: readonly Cell[] };

/** Options of runs that ask real models. */
interface RunLiveOptions extends Pick<RunPlanOptions, 'cacheFolder' | 'signal'> {
  readonly live: LiveCells;
}

interface LiveTaker {
  readonly context: LiveContext;
  readonly put: (run: FinishedRun) => void;
}

/** Which sessions to run in which cells. */
interface GridOptions {
  readonly files: readonly string[];
  readonly cells: readonly Cell[];
  /** One trial of each cell a seed. */
  readonly seeds: readonly number[];
  /** Threads; 1, and that the calling one, by default. */
  readonly jobs?: number | undefined;
  /** Folder of token counts that other processes may use at the same time. */
  readonly cacheFolder?: string | undefined;
  /** Cells that ask real models; none by default. */
  readonly live?: LiveCells | undefined;
  /** Ends the rows early, between two runs. */
  readonly signal?: AbortSignal | undefined;
  /** Decides the setup of a session of a file; nothing is known of sessions without it. */
  readonly setupOf?: SetupOf | undefined;
  /** How a path, or the name of a session, is shown; as given by default. */
  readonly nameOf?: ((path: string) => string) | undefined;
  /** Told of what the files hold before anything of it is run. */
  readonly onPlanned?: (plan: Pick<SweepPlan, 'sessions' | 'unread' | 'dropped'>) => void;
  readonly onProgress?: (progress: GridProgress) => void;
}

/** How far a grid has come, in runs. */
interface GridProgress {
  readonly done: number;
  readonly total: number;
  /** The session that was worked on last, as it is shown. */
  readonly session: string;
}

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
  const sizes = new Map(plan.sessions.map(({ ref, size }) => [ref.name, size]));
  for (const task of tasks) {
    const isLarge = (sizes.get(task.session.name) ?? 0) >= LARGE_SESSION_CHARS;
    if (isLarge) yield* splitTask(task, createMeeting(task.session, cells).read);
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
      const at = createMeeting(session.ref, cells).meet(run);
      yield { place: run.place, line: toUnrunLine(session.ref, at, ending) };
    }
  }
}

/**
 * The rows of tasks that ask real models, as they are finished, several tasks at once in the calling thread: what
 * limits requests and money sees all of them. Rejects where nobody can be asked; what is on its way is called off.
 */
export async function* runLive(
  plan: SweepPlan,
  tasks: Iterator<SweepTask, unknown>,
  { live, cacheFolder, signal }: RunLiveOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const first = tasks.next();
  if (first.done) return;
  const stop = new AbortController();
  const until = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const cells = plan.cells.filter((cell) => live.isLive(cell));
  const opened = await createTaskContext(cells, {
    cacheFolder,
    signal: until,
    find: (name) => live.find(name),
  });
  const context = { ...opened, firstSeed: live.firstSeed, adapter: live.adapter };
  const inbox = createInbox<FinishedRun>();
  const takers = Array.from({ length: live.tasksAtOnce }, (_, taker) =>
    runAll(taker === 0 ? first.value : undefined, tasks, { context, put: (run) => inbox.put(run) }),
  );
  const over = Promise.all(takers).then(
    () => inbox.close(),
    (error: unknown) => {
      if (signal?.aborted) inbox.close();
      else inbox.fail(error);
    },
  );
  try {
    yield* inbox.items();
  } finally {
    stop.abort();
    await over;
    opened.save();
  }
}

/**
 * A row for each session in each cell with each seed, as they are finished: in the order of sessions, cells
 * and seeds where there is one job. A run that breaks is a row with its reason.
 */
export async function* runGrid(options: GridOptions): AsyncGenerator<ResultRow, void, void> {
  const { jobs = 1, cacheFolder } = options;
  const pool = openPool({ jobs, cacheFolder });
  try {
    yield* runIn(pool, options);
  } finally {
    await pool?.close();
  }
}

async function* runAtOnce(
  plan: SweepPlan,
  options: AtOnceOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { pool, signal, cells = plan.cells } = options;
  if (pool === undefined) {
    yield* runHere(plan, options);
    return;
  }
  const all = [...plan.sessions.keys()];
  yield* skippedRows(plan, all, options);
  const left = all.filter((index) => hasWork(plan, index, options));
  if (left.length === 0) return;
  const tasks = splitTasks(plan, tasksOf(plan, largestFirst(plan.sessions, left), options));
  yield* pool.run({ cells, tasks, signal });
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

async function runAll(
  first: SweepTask | undefined,
  tasks: Iterator<SweepTask, unknown>,
  { context, put }: LiveTaker,
): Promise<void> {
  let task = first ?? nextOf(tasks);
  while (task !== undefined && !context.signal?.aborted) {
    await Promise.all(startLiveTask(task, context).map(async (run) => put(await run)));
    task = nextOf(tasks);
  }
}

function nextOf(tasks: Iterator<SweepTask, unknown>): SweepTask | undefined {
  const next = tasks.next();
  return next.done ? undefined : next.value;
}

async function* runIn(
  pool: Pool | undefined,
  options: GridOptions,
): AsyncGenerator<ResultRow, void, void> {
  const { cacheFolder, live, signal, onPlanned, onProgress } = options;
  const plan = await planSweep(options);
  if (plan === undefined) return;
  onPlanned?.(plan);
  const total = countRows(plan);
  const runOptions = { pool, isDone: () => false, cacheFolder, live, signal };
  let done = 0;
  for await (const { line } of runPlan(plan, runOptions)) {
    const row: ResultRow = JSON.parse(line);
    done += 1;
    onProgress?.({ done, total, session: row.session });
    yield row;
  }
}
