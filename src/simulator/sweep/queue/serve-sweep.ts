import type { Job, Worker } from 'bullmq';
import { messageOf } from '../../errors.ts';
import { quoted } from '../../names.ts';
import { countOf } from '../../report/numbers.ts';
import { faultCode } from '../../system-fault.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import { readRefusal } from './connection.ts';
import { createCrew, type Crew } from './crew.ts';
import { type BusyWorker, endWorker, type Keeper } from './end-worker.ts';
import { findWork, hasWaiting, hasWork, refuseForm } from './find-work.ts';
import { type JobData, type JobResult, readJob } from './job.ts';
import { createLiveRunner, type LiveRunner, type LiveJob } from './live-runner.ts';
import { QUEUE_PREFIX } from './queue-name.ts';
import { listSweeps, readCells } from './registry.ts';
import type { ServeContext } from './serve-context.ts';
import { readText } from './session-texts.ts';
import { pause, unlessAborted } from '../wait.ts';

/** A sweep that is being served. */
interface Service extends BusyWorker {
  readonly name: string;
  readonly crew: Crew;
  readonly live: LiveRunner;
  readonly busy: Map<string, Keeper>;
}

const POLL_MS = 500;
/** Workers that may die of one task before it counts as failed. */
const MOST_STALLED = 5;

/** Runs the tasks of a sweep until it is over, another one has more of them to give, or the signal fires. */
export async function serveSweep(name: string, context: ServeContext): Promise<void> {
  const { connection, signal, cacheFolder } = context;
  const read = await unlessAborted(readCells(connection.redis, name), signal);
  if (read?.state === 'unreadable') refuseForm(name, read.reason, context);
  if (read?.state !== 'read') return;
  const { cells } = read;
  noteService(name, context);
  const atOnce = cells.filter(({ summarizer }) => !makesWait(summarizer));
  const crew = createCrew({ cells: atOnce, cacheFolder, checksContent: true });
  const live = createLiveRunner({ ...context, name, cells, redis: connection.redis });
  const staff = { name, crew, live, busy: new Map<string, Keeper>() };
  const service: Service = { ...staff, worker: createWorker(staff, context) };
  try {
    await untilOver(service, context);
  } finally {
    await endWorker(service, connection.redis);
    await crew.close();
    await live.close();
  }
  await sweepUp(name, context);
}

/** Once: where others have all tasks in hand, a worker goes from sweep to sweep until one of them dies. */
function noteService(name: string, { served, note, jobs }: ServeContext): void {
  if (served.has(name)) return;
  served.add(name);
  note(`Serving sweep ${quoted(name)} with ${countOf(jobs, 'thread')}.`);
}

/** A worker that came back to a queue may have described it anew after the sweep had taken everything away. */
async function sweepUp(name: string, context: ServeContext): Promise<void> {
  const { connection, signal } = context;
  if (signal.aborted) return;
  const sweeps = await unlessAborted(listSweeps(connection.redis), signal);
  if (sweeps?.has(name) === false) {
    await unlessAborted(connection.redis.del(`${QUEUE_PREFIX}:${name}:meta`), signal);
  }
}

async function untilOver({ name, busy }: Service, context: ServeContext): Promise<void> {
  const { connection, signal, endsWhenIdle } = context;
  while (!signal.aborted) {
    await pause(POLL_MS, signal);
    if (busy.size > 0) continue;
    const sweeps = await unlessAborted(listSweeps(connection.redis), signal);
    if (sweeps?.has(name) !== true) return;
    if (await hasWaiting(name, context)) continue;
    if (endsWhenIdle && !(await hasWork(name, context))) return;
    if (((await findWork(context, name)) ?? name) !== name) return;
  }
}

function createWorker(service: Omit<Service, 'worker'>, context: ServeContext): Worker {
  const { packages, connection, jobs, lockMs } = context;
  const { redis } = connection;
  const run = (job: Job) => runJob(job, service, context);
  const worker = new packages.bullmq.Worker(service.name, run, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    concurrency: jobs,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: MOST_STALLED,
  });
  worker.on('error', (error) => noteRefusal(error, context));
  return worker;
}

/** Once; the connection tells of its errors itself, and a lock that was lost is somebody else's task by now. */
function noteRefusal(error: Error, { url, refusals, note }: ServeContext): void {
  const refusal = readRefusal(error, url);
  if (refusal === error || refusals.has(messageOf(refusal))) return;
  refusals.add(messageOf(refusal));
  note(`${messageOf(refusal)} Waiting for it.`);
}

async function runJob(
  job: Job,
  { name, crew, live, busy }: Omit<Service, 'worker'>,
  context: ServeContext,
): Promise<JobResult> {
  const id = job.id ?? '';
  busy.set(id, 'server');
  try {
    const { task, done } = readJob(job.data);
    const text = await readText(context.connection.redis, name, task.session);
    busy.set(id, live.takes(task) ? 'model' : 'thread');
    if (live.takes(task)) {
      const keep = keepIn(job, context);
      return { lines: await live.run({ task, done, text, keep }) };
    }
    const outcome = await crew.run(task, text);
    if (outcome.state === 'refused') throw new Error(outcome.reason);
    return { lines: outcome.lines };
  } finally {
    busy.delete(id);
  }
}

/** Where the job is no longer there, nobody waits for its rows; where they cannot be kept, they still come with its result. */
function keepIn(job: Job, { packages: { bullmq }, note }: ServeContext): LiveJob['keep'] {
  const { task } = readJob(job.data);
  return async (done) => {
    const data: JobData = { task, done };
    await job.updateData(data).catch((error: unknown) => {
      if (faultCode(error) === String(bullmq.ErrorCode.JobNotExist)) return;
      note(`A row could not be kept before its task is done: ${messageOf(error)}.`);
    });
  };
}
