import { HarnessError } from '../../errors.ts';
import type { LiveCells } from '../live/live-cells.ts';
import type { SweepPlan } from '../plan/plan.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import { partPlaces, type RunPlanOptions, skippedRows, splitTasks, tasksOf } from '../run-plan.ts';
import { connect, type Note, readRefusal } from './connection.ts';
import { countSpent, fetchAll, type QueuedRun } from './fetch-rows.ts';
import { type JobData, jobIdOf } from './job.ts';
import { createIdleWatch, isAtWork } from './no-worker.ts';
import { loadPackages, type QueuePackages } from './packages.ts';
import type { QueuedModels } from './queued-models.ts';
import { QUEUE_PREFIX } from './queue-name.ts';
import { withdraw } from './registry.ts';
import { removeTexts } from './session-texts.ts';
import { forgetSpent } from './shared-budget.ts';
import { unlessAborted } from '../wait.ts';

/** How a plan is carried out by workers that somebody else starts. */
export interface RunQueuedOptions extends Pick<RunPlanOptions, 'isDone' | 'signal'> {
  readonly live?: Pick<LiveCells, 'isLive'> | undefined;
  readonly url: string;
  /** Name of the sweep's queue. */
  readonly name: string;
  /** Version that workers must have. */
  readonly version: string;
  /** How workers ask real models; no cell asks one by default. */
  readonly models?: QueuedModels | undefined;
  /** Whether workers get the sessions from the queue. */
  readonly sendsTexts?: boolean | undefined;
  /** Throws where rows that were given are not kept any more: the queue keeps them then. */
  readonly checkKept: () => void;
  readonly note: Note;
  /** Told in the end what workers have spent, in nano-dollars. */
  readonly onSpent?: (nanoUsd: number) => void;
}

interface QueuedRunParts extends Pick<QueuedRun, 'connection' | 'open'> {
  readonly plan: SweepPlan;
  readonly packages: QueuePackages;
}

/** What a failure to tidy comes to, for the rows are there all the same. */
const LEFT = 'All rows are there; what the queue still holds of the sweep stays there.';

/**
 * The rows of a plan that are not there, as workers finish them. The queue may hold tasks and rows of an
 * earlier call: rows are taken from it, tasks are put once. When all is there, nothing stays in the queue; where
 * that cannot be, a note says so.
 */
export async function* runQueued(
  plan: SweepPlan,
  options: RunQueuedOptions,
): AsyncGenerator<FinishedRun, void, void> {
  yield* skippedRows(plan, [...plan.sessions.keys()], options);
  const open = openTasks(plan, options);
  if (options.signal?.aborted) return;
  try {
    yield* runOpen({ plan, open }, options);
  } catch (error) {
    if (open.size > 0 || !(error instanceof HarnessError)) throw error;
    options.note(`${error.message} ${LEFT}`);
  }
}

async function* runOpen(
  parts: Pick<QueuedRunParts, 'plan' | 'open'>,
  options: RunQueuedOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  try {
    yield* runConnected({ ...parts, packages, connection }, options);
  } catch (error) {
    throw readRefusal(error, options.url);
  } finally {
    connection.close();
  }
}

async function* runConnected(
  parts: QueuedRunParts,
  options: RunQueuedOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { signal, note } = options;
  const queued = toQueuedRun(parts, options);
  try {
    const { connection, queue } = queued;
    const watch = createIdleWatch(() => isAtWork(connection.redis, queue), note);
    yield* fetchAll(queued, watch, signal);
    if (queued.open.size === 0) await unlessAborted(tidy(queued), signal);
  } finally {
    options.onSpent?.(queued.spentNanoUsd);
  }
}

/**
 * Whole tasks, so that they are the same whenever the sweep is started; those of which a row is missing. A task
 * asks real models in all of its runs or in none.
 */
function openTasks(plan: SweepPlan, { isDone, live }: RunQueuedOptions): Map<string, SweepTask> {
  const indices = [...plan.sessions.keys()];
  const parts =
    live === undefined ? [isNever] : Object.values(partPlaces(plan, { live, isDone: isNever }));
  const all = parts.flatMap((part) => [
    ...splitTasks(plan, tasksOf(plan, indices, { isDone: part })),
  ]);
  const open = new Map<string, SweepTask>();
  for (const task of all) {
    if (task.runs.some(({ place }) => !isDone(place))) open.set(jobIdOf(task), task);
  }
  return open;
}

function isNever(): boolean {
  return false;
}

function toQueuedRun(
  { plan: { cells }, open, packages, connection }: QueuedRunParts,
  { name, version, models, sendsTexts = false, checkKept }: RunQueuedOptions,
): QueuedRun {
  const queue = new packages.bullmq.Queue(name, {
    connection: connection.redis,
    prefix: QUEUE_PREFIX,
  });
  // The connection tells of its errors itself.
  queue.on('error', () => undefined);
  const sweep = { name, version, cells, models };
  const done = new Map<string, JobData['done']>();
  return { connection, queue, sweep, open, done, sendsTexts, checkKept, spentNanoUsd: 0 };
}

async function tidy(queued: QueuedRun): Promise<void> {
  const { connection, queue, sweep } = queued;
  await countSpent(queued);
  await withdraw(connection.redis, sweep.name);
  await removeTexts(connection.redis, sweep.name);
  await forgetSpent(connection.redis, sweep.name);
  await queue.obliterate({ force: true });
}
