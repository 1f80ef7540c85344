import type { Job, Queue } from 'bullmq';
import { HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import type { SweepPlan } from '../plan/plan.ts';
import { cellOf, toUnrunLine } from '../run/run-task.ts';
import { byId, type FinishedRun, type SweepTask } from '../run/task.ts';
import { type RunPlanOptions, skippedRows, splitTasks, tasksOf } from '../run-plan.ts';
import { connect, type Connection, type Note } from './connection.ts';
import { JOB_NAME, jobIdOf, readRuns } from './job.ts';
import { loadPackages } from './packages.ts';
import { QUEUE_PREFIX } from './queue-name.ts';
import { announce, type QueuedSweep, withdraw } from './registry.ts';
import { pause, unlessAborted } from './wait.ts';

/** How a plan is carried out by workers that somebody else starts. */
export interface RunQueuedOptions extends Pick<RunPlanOptions, 'isDone' | 'signal'> {
  readonly url: string;
  /** Name of the sweep's queue. */
  readonly name: string;
  /** Version that workers must have. */
  readonly version: string;
  readonly note: Note;
}

/** A sweep on its way through a queue. */
interface Errand {
  readonly connection: Connection;
  readonly queue: Queue;
  readonly sweep: QueuedSweep;
  /** Tasks whose rows are not there, by the ids of their jobs. */
  readonly open: Map<string, SweepTask>;
}

/** Jobs that are put or fetched at once. */
const BATCH = 100;
const POLL_MS = 200;
/** What the queue says of a job whose workers died again and again. */
const STALLED = /stalled more than/;

/**
 * The rows of a plan that are not there, as workers finish them. The queue may hold tasks and rows of an
 * earlier call: rows are taken from it, tasks are put once. When all is there, nothing stays in the queue.
 */
export async function* runQueued(
  plan: SweepPlan,
  options: RunQueuedOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { signal } = options;
  yield* skippedRows(plan, [...plan.sessions.keys()], options);
  const open = openTasks(plan, options);
  if (open.size === 0 || signal?.aborted) return;
  const errand = await startErrand(plan, open, options);
  try {
    yield* fetchAll(errand, signal);
    if (open.size === 0) await unlessAborted(tidy(errand), signal);
  } finally {
    errand.connection.close();
  }
}

/** Whole tasks, so that they are the same whenever the sweep is started; those of which a row is missing. */
function openTasks(plan: SweepPlan, { isDone }: RunQueuedOptions): Map<string, SweepTask> {
  const indices = [...plan.sessions.keys()];
  const all = splitTasks(plan, tasksOf(plan, indices, { isDone: () => false }));
  const open = new Map<string, SweepTask>();
  for (const task of all) {
    if (task.runs.some(({ place }) => !isDone(place))) open.set(jobIdOf(task), task);
  }
  return open;
}

async function startErrand(
  { cells }: SweepPlan,
  open: Map<string, SweepTask>,
  { url, name, version, note }: RunQueuedOptions,
): Promise<Errand> {
  const packages = await loadPackages();
  const connection = await connect(url, packages, note);
  const queue = new packages.bullmq.Queue(name, {
    connection: connection.redis,
    prefix: QUEUE_PREFIX,
  });
  // The connection tells of its errors itself.
  queue.on('error', () => undefined);
  return { connection, queue, sweep: { name, version, cells }, open };
}

async function* fetchAll(
  errand: Errand,
  signal: AbortSignal | undefined,
): AsyncGenerator<FinishedRun, void, void> {
  const { queue, open } = errand;
  await unlessAborted(forgetFailures(queue), signal);
  while (open.size > 0) {
    if (signal?.aborted) return;
    await unlessAborted(putMissing(errand), signal);
    const failed = await unlessAborted(queue.getFailed(0, BATCH - 1), signal);
    for (const job of failed ?? []) yield* rowsOfFailed(job, errand);
    const finished = (await unlessAborted(queue.getCompleted(0, BATCH - 1), signal)) ?? [];
    for (const job of finished) yield* rowsOf(job, errand);
    if (finished.length === 0) await pause(POLL_MS, signal);
  }
}

/** What failed for somebody who mended it is tried again. */
async function forgetFailures(queue: Queue): Promise<void> {
  for (;;) {
    const failed = await queue.getFailed(0, BATCH - 1);
    if (failed.length === 0) return;
    for (const job of failed) await job.remove();
  }
}

/** Puts what the queue lacks: everything at first, and again what a server forgot. A job that is there stays as it is. */
async function putMissing({ connection, queue, sweep, open }: Errand): Promise<void> {
  await announce(connection.redis, sweep);
  const counts = await queue.getJobCounts();
  const present = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (present >= open.size) return;
  const jobs = [...open].map(([jobId, task]) => ({
    name: JOB_NAME,
    data: { task },
    opts: { jobId, removeOnComplete: false, removeOnFail: false },
  }));
  for (let start = 0; start < jobs.length; start += BATCH) {
    await queue.addBulk(jobs.slice(start, start + BATCH));
  }
}

/** A job goes when its rows have been taken, not before: whoever is killed between the two finds it again. */
async function* rowsOf(job: Job, { open }: Errand): AsyncGenerator<FinishedRun, void, void> {
  const id = job.id ?? '';
  const task = open.get(id);
  if (task !== undefined) {
    const runs = readRuns(task, job.returnvalue);
    if (runs === undefined) throw brokenOff(task, 'what came back is not its rows');
    yield* runs;
    open.delete(id);
  }
  await job.remove();
}

/** A task that killed every worker is rows that say so; anything else is for the user to mend. */
async function* rowsOfFailed(job: Job, errand: Errand): AsyncGenerator<FinishedRun, void, void> {
  const { open, sweep } = errand;
  const id = job.id ?? '';
  const task = open.get(id);
  if (task !== undefined) {
    if (!STALLED.test(job.failedReason)) throw brokenOff(task, job.failedReason);
    const cells = byId(sweep.cells);
    for (const run of task.runs) {
      const ending = { state: 'failed', reason: 'the worker broke' } as const;
      const line = toUnrunLine(task.session, { cell: cellOf(run, cells), run }, ending);
      yield { place: run.place, line };
    }
    open.delete(id);
  }
  await job.remove();
}

async function tidy({ connection, queue, sweep }: Errand): Promise<void> {
  await withdraw(connection.redis, sweep.name);
  await queue.obliterate({ force: true });
}

const REASON_LENGTH = 300;

function brokenOff({ session }: SweepTask, reason: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected a worker to run ${quoted(session.name)}, got ${quoted(reason, REASON_LENGTH)}. The same command goes on where this one ended.`,
  );
}
