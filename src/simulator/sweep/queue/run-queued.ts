import { gunzipSync, gzipSync } from 'node:zlib';
import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { sum } from '../../lib/collections.ts';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import { createOpener } from '../../session/load.ts';
import type { LiveCells } from '../live.ts';
import type { SweepPlan } from '../plan.ts';
import { partPlaces, type RunPlanOptions, skippedRows, splitTasks, tasksOf } from '../run-plan.ts';
import { createMeeting } from '../run/run-task.ts';
import { toUnrunLine } from '../run/row.ts';
import {
  byId,
  type FinishedRun,
  hashSession,
  type SessionRef,
  type SweepTask,
  writeSession,
} from '../run/task.ts';
import { pause, unlessAborted } from '../wait.ts';
import {
  connect,
  type Connection,
  createIdleWatch,
  type IdleWatch,
  isAtWork,
  loadPackages,
  type Note,
  type QueuePackages,
  readRefusal,
} from './connection.ts';
import { JOB_NAME, type JobData, jobIdOf, readDone, readRuns } from './job.ts';
import {
  announce,
  announceModels,
  checkRoom,
  forgetSpent,
  QUEUE_PREFIX,
  type QueuedModels,
  type QueuedSweep,
  readSpent,
  recallSpent,
  withdraw,
} from './registry.ts';

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
  /** True if workers get the sessions from the queue. */
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

/** A sweep on its way through a queue. */
interface QueuedRun {
  readonly connection: Connection;
  readonly queue: Queue;
  readonly sweep: QueuedSweep;
  /** Tasks whose rows are not there, by the ids of their jobs. */
  readonly open: Map<string, SweepTask>;
  /** Finished parts of failed tasks, by the same. */
  readonly done: Map<string, JobData['done']>;
  readonly sendsTexts: boolean;
  /** Throws where rows that were taken are not kept any more. */
  readonly checkKept: () => void;
  spentNanoUsd: number;
}

/** Note of a failed clean-up, as all rows exist anyway. */
const LEFT = 'All rows are there; what the queue still holds of the sweep stays there.';

/** Jobs that are put or fetched at once. */
const BATCH = 100;
const POLL_MS = 200;
/** The queue's message about a job whose workers died repeatedly. */
const STALLED = /stalled more than/;

const REASON_LENGTH = 300;

/** The most that a session may weigh, unpacked; a queue takes no larger one, and a worker unpacks no more. */
export const MOST_SESSION_BYTES = 2 ** 28;

/** Texts that nobody comes back for are gone after a day. */
const LIFE_MS = 86_400_000;

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

/** The text of a session, where the sweep has sent it. Throws where it weighs more than one may. */
export async function readText(
  redis: Redis,
  name: string,
  { hash }: SessionRef,
): Promise<string | undefined> {
  const packed = await redis.hgetBuffer(keyOf(name), hash);
  if (packed === null) return undefined;
  return gunzipSync(packed, { maxOutputLength: MOST_SESSION_BYTES }).toString('utf8');
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

/** The rows of all open tasks, which are put where the queue lacks them, as workers finish them. */
async function* fetchAll(
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

/** Lets failed tasks be tried again, without their finished rows. */
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

/** Keeps them for another while. */
async function keepTexts(redis: Redis, name: string): Promise<void> {
  await redis.pexpire(keyOf(name), LIFE_MS);
}

function keyOf(name: string): string {
  return `${QUEUE_PREFIX}:texts:${name}`;
}

/** Before the tasks, so that whoever takes one finds what it is about. */
async function sendTexts(
  { connection, sweep, open }: QueuedRun,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sessions = new Map([...open.values()].map(({ session }) => [session.hash, session]));
  await putTexts(connection.redis, sweep.name, { sessions: sessions.values(), signal });
}

/** Puts the texts of sessions into a queue, each once, for workers that have no file. A file that has changed is left out. */
async function putTexts(
  redis: Redis,
  name: string,
  {
    sessions,
    signal,
  }: { readonly sessions: Iterable<SessionRef>; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const key = keyOf(name);
  const opener = createOpener();
  for (const ref of sessions) {
    if (signal?.aborted) return;
    if ((await redis.hexists(key, ref.hash)) === 1) continue;
    const opened = opener.open(ref);
    if (opened.state === 'unread' || hashSession(opened.session) !== ref.hash) continue;
    await redis.hset(key, ref.hash, gzipSync(toSendable(ref, writeSession(opened.session))));
  }
  await keepTexts(redis, name);
}

function toSendable({ name }: SessionRef, text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_SESSION_BYTES) return bytes;
  throw badOption(
    `Expected sessions of at most ${MOST_SESSION_BYTES} bytes with '--send-texts', got ${quoted(name)} of ${bytes.length}.`,
  );
}

/** A server that forgets does not make a budget whole again. */
async function countSpent(queued: QueuedRun): Promise<void> {
  const { connection, sweep } = queued;
  if (sweep.models === undefined) return;
  await recallSpent(connection.redis, sweep.name, queued.spentNanoUsd);
  queued.spentNanoUsd = await readSpent(connection.redis, sweep.name);
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
      const line = toUnrunLine(task.session, createMeeting(task.session, cells).meet(run), ending);
      yield { place: run.place, line };
    }
  }
  await take(job, queued);
}

function brokenOff({ session }: SweepTask, reason: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected a worker to run ${quoted(session.name)}, got ${quoted(reason, REASON_LENGTH)}. The same command resumes where this one ended.`,
  );
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

async function removeText(redis: Redis, name: string, { hash }: SessionRef): Promise<void> {
  await redis.hdel(keyOf(name), hash);
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

async function tidy(queued: QueuedRun): Promise<void> {
  const { connection, queue, sweep } = queued;
  await countSpent(queued);
  await withdraw(connection.redis, sweep.name);
  await removeTexts(connection.redis, sweep.name);
  await forgetSpent(connection.redis, sweep.name);
  await queue.obliterate({ force: true });
}

async function removeTexts(redis: Redis, name: string): Promise<void> {
  await redis.del(keyOf(name));
}
