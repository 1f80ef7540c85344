import type { Job, Queue } from 'bullmq';
import { HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import { sum } from '../../sum.ts';
import { cellOf, toUnrunLine } from '../run/row.ts';
import { byId, type FinishedRun, type SweepTask } from '../run/task.ts';
import type { Connection } from './connection.ts';
import { JOB_NAME, type JobData, readDone, readRuns } from './job.ts';
import type { IdleWatch } from './no-worker.ts';
import { announce, announceModels, checkRoom, type QueuedSweep } from './registry.ts';
import { keepTexts, putTexts, removeText } from './session-texts.ts';
import { readSpent, recallSpent } from './shared-budget.ts';
import { pause, unlessAborted } from '../wait.ts';

/** A sweep on its way through a queue. */
export interface QueuedRun {
  readonly connection: Connection;
  readonly queue: Queue;
  readonly sweep: QueuedSweep;
  /** Tasks whose rows are not there, by the ids of their jobs. */
  readonly open: Map<string, SweepTask>;
  /** What there is of tasks that failed, by the same. */
  readonly done: Map<string, JobData['done']>;
  readonly sendsTexts: boolean;
  /** Throws where rows that were taken are not kept any more. */
  readonly checkKept: () => void;
  spentNanoUsd: number;
}

/** Jobs that are put or fetched at once. */
const BATCH = 100;
const POLL_MS = 200;
/** What the queue says of a job whose workers died again and again. */
const STALLED = /stalled more than/;

const REASON_LENGTH = 300;

/** The rows of all open tasks, which are put where the queue lacks them, as workers finish them. */
export async function* fetchAll(
  queued: QueuedRun,
  watch: IdleWatch,
  signal: AbortSignal | undefined,
): AsyncGenerator<FinishedRun, void, void> {
  const { connection, queue, sweep, open } = queued;
  await unlessAborted(announceModels(connection.redis, sweep), signal);
  await unlessAborted(forgetFailures(queued), signal);
  while (open.size > 0) {
    if (signal?.aborted) return;
    await unlessAborted(putMissing(queued, signal), signal);
    await unlessAborted(countSpent(queued), signal);
    const failed = await unlessAborted(queue.getFailed(0, BATCH - 1), signal);
    for (const job of failed ?? []) yield* rowsOfFailed(job, queued);
    const finished = (await unlessAborted(queue.getCompleted(0, BATCH - 1), signal)) ?? [];
    for (const job of finished) yield* rowsOf(job, queued);
    if (finished.length > 0) {
      watch.sawRows();
      continue;
    }
    // Rows that were taken make room.
    await unlessAborted(checkRoom(connection.redis, sweep), signal);
    await unlessAborted(watch.sawNothing(), signal);
    await pause(POLL_MS, signal);
  }
}

/** A server that forgets does not make a budget whole again. */
export async function countSpent(queued: QueuedRun): Promise<void> {
  const { connection, sweep } = queued;
  if (sweep.models === undefined) return;
  await recallSpent(connection.redis, sweep.name, queued.spentNanoUsd);
  queued.spentNanoUsd = await readSpent(connection.redis, sweep.name);
}

/** What failed for somebody who mended it is tried again, but for the rows that there are of it. */
async function forgetFailures({ queue, open, done }: QueuedRun): Promise<void> {
  for (;;) {
    const failed = await queue.getFailed(0, BATCH - 1);
    if (failed.length === 0) return;
    for (const job of failed) {
      const id = job.id ?? '';
      const task = open.get(id);
      if (task !== undefined) done.set(id, readDone(task, job.data));
      await job.remove();
    }
  }
}

/** Puts what the queue lacks: everything at first, and again what a server forgot. A job that is there stays as it is. */
async function putMissing(queued: QueuedRun, signal: AbortSignal | undefined): Promise<void> {
  const { connection, queue, sweep, open } = queued;
  await announce(connection.redis, sweep);
  const counts = await queue.getJobCounts();
  const present = sum(Object.values(counts));
  if (queued.sendsTexts) await keepTexts(connection.redis, sweep.name);
  if (present >= open.size) return;
  if (queued.sendsTexts) await sendTexts(queued, signal);
  const jobs = [...open].map(([jobId, task]) => ({
    name: JOB_NAME,
    data: { task, done: queued.done.get(jobId) ?? [] } satisfies JobData,
    opts: { jobId, removeOnComplete: false, removeOnFail: false },
  }));
  for (let start = 0; start < jobs.length; start += BATCH) {
    await queue.addBulk(jobs.slice(start, start + BATCH));
  }
}

/** Before the tasks, so that whoever takes one finds what it is about. */
async function sendTexts(
  { connection, sweep, open }: QueuedRun,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sessions = new Map([...open.values()].map(({ session }) => [session.hash, session]));
  await putTexts(connection.redis, sweep.name, { sessions: sessions.values(), signal });
}

async function* rowsOf(job: Job, queued: QueuedRun): AsyncGenerator<FinishedRun, void, void> {
  const task = queued.open.get(job.id ?? '');
  if (task !== undefined) {
    const runs = readRuns(task, job.returnvalue);
    if (runs === undefined) throw brokenOff(task, 'what came back is not its rows');
    yield* runs;
  }
  await take(job, queued);
}

/** A task that killed every worker is rows that say so; anything else is for the user to mend. */
async function* rowsOfFailed(job: Job, queued: QueuedRun): AsyncGenerator<FinishedRun, void, void> {
  const { open, sweep } = queued;
  const task = open.get(job.id ?? '');
  if (task !== undefined) {
    if (!STALLED.test(job.failedReason)) throw brokenOff(task, job.failedReason);
    const cells = byId(sweep.cells);
    const done = readDone(task, job.data);
    yield* done;
    for (const run of task.runs) {
      if (done.some(({ place }) => place === run.place)) continue;
      const ending = { state: 'failed', reason: 'the worker broke' } as const;
      const line = toUnrunLine(task.session, { cell: cellOf(run, cells), run }, ending);
      yield { place: run.place, line };
    }
  }
  await take(job, queued);
}

/**
 * A job goes when its rows have been taken and stand where they are kept, not before: whoever is killed between the
 * two, or loses them, finds it again.
 */
async function take(job: Job, queued: QueuedRun): Promise<void> {
  const id = job.id ?? '';
  queued.checkKept();
  const task = queued.open.get(id);
  if (task !== undefined) await close(id, task, queued);
  await job.remove();
}

/** A session goes from the queue with its last task. */
async function close(
  id: string,
  { session }: SweepTask,
  { connection, sweep, open, sendsTexts }: QueuedRun,
): Promise<void> {
  open.delete(id);
  const isNeeded = [...open.values()].some((task) => task.session.hash === session.hash);
  if (sendsTexts && !isNeeded) await removeText(connection.redis, sweep.name, session);
}

function brokenOff({ session }: SweepTask, reason: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected a worker to run ${quoted(session.name)}, got ${quoted(reason, REASON_LENGTH)}. The same command resumes where this one ended.`,
  );
}
