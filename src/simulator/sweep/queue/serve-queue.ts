import type { Job, Queue, Worker } from 'bullmq';
import type { Environment } from '../../environment.ts';
import { badOption, type HarnessError, messageOf } from '../../errors.ts';
import { quoted } from '../../names.ts';
import { countOf } from '../../report/numbers.ts';
import { sum } from '../../sum.ts';
import { faultCode } from '../../system-fault.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import { connect, type Connection, type Note, readRefusal } from './connection.ts';
import { createCrew, type Crew } from './crew.ts';
import { type JobData, type JobResult, readJob } from './job.ts';
import { createLiveRunner, type LiveRunner, type LiveJob } from './live-runner.ts';
import { loadPackages, type QueuePackages } from './packages.ts';
import type { OwnSettings } from './queued-models.ts';
import { QUEUE_PREFIX } from './queue-name.ts';
import { listSweeps, readCells } from './registry.ts';
import { readText } from './session-texts.ts';
import { pause, unlessAborted } from '../wait.ts';

/** How a worker serves a queue. */
export interface ServeOptions {
  readonly url: string;
  /** Version of the package; only sweeps of the same are served. */
  readonly version: string;
  /** Threads. */
  readonly jobs: number;
  /** Time after which others take over what a worker that died had in hand. */
  readonly lockMs: number;
  /** Whether to end when no sweep is there, instead of waiting for one. */
  readonly endsWhenIdle: boolean;
  readonly cacheFolder?: string | undefined;
  /** Where the keys of real models are. */
  readonly environment: Environment;
  /** How real models may be asked from here. */
  readonly own: OwnSettings;
  readonly signal: AbortSignal;
  readonly note: Note;
}

/** All that serving needs. */
interface ServeContext extends ServeOptions {
  readonly packages: QueuePackages;
  readonly connection: Connection;
  /** Queues that were looked into, by name. */
  readonly queues: Map<string, Queue>;
  /** Sweeps of which the user knows that they are served. */
  readonly served: Set<string>;
  /** The same, of other versions. */
  readonly refused: Set<string>;
  /** What the user knows that the server refuses. */
  readonly refusals: Set<string>;
}

/** A sweep that is being served. */
interface Service {
  readonly name: string;
  readonly crew: Crew;
  readonly live: LiveRunner;
  readonly worker: Worker;
  /** Tasks in hand. */
  readonly busy: Set<string>;
}

const POLL_MS = 500;
/** Workers that may die of one task before it counts as failed. */
const MOST_STALLED = 5;

/** Runs the tasks of all sweeps of a server, one sweep after another, until the signal fires; tasks in hand are finished then. */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  const told = {
    served: new Set<string>(),
    refused: new Set<string>(),
    refusals: new Set<string>(),
  };
  const context: ServeContext = { ...options, packages, connection, queues: new Map(), ...told };
  try {
    let name: string | undefined;
    while (!options.signal.aborted) {
      name = await findWork(context, name);
      if (name !== undefined) await serveSweep(name, context);
      else if (options.endsWhenIdle) break;
      else await pause(POLL_MS, options.signal);
    }
  } catch (error) {
    throw readRefusal(error, options.url);
  } finally {
    connection.close();
  }
  if (context.refused.size > 0 && !options.signal.aborted) throw otherVersion(context);
}

/** The next sweep after another with a task that nobody has taken; where there is none, with one that nobody has finished. */
async function findWork(context: ServeContext, last = ''): Promise<string | undefined> {
  const sweeps =
    (await unlessAborted(listSweeps(context.connection.redis), context.signal)) ?? new Map();
  const names: string[] = [];
  for (const [name, version] of sweeps) {
    if (version === context.version) names.push(name);
    else refuse(name, version, context);
  }
  const inTurn = [...names.filter((name) => name > last), ...names.filter((name) => name <= last)];
  for (const name of inTurn) if (await hasWaiting(name, context)) return name;
  for (const name of inTurn) if (await hasWork(name, context)) return name;
  return undefined;
}

function refuse(
  name: string,
  version: string,
  { refused, version: own, note }: ServeContext,
): void {
  if (refused.has(name)) return;
  refused.add(name);
  note(
    `Sweep ${quoted(name)} was planned by version ${quoted(version)}, this is ${own}: it needs workers of its own version.`,
  );
}

async function hasWork(name: string, context: ServeContext): Promise<boolean> {
  return (await hasWaiting(name, context)) || (await countJobs(name, ['active'], context)) > 0;
}

async function hasWaiting(name: string, context: ServeContext): Promise<boolean> {
  return (await countJobs(name, ['waiting', 'delayed', 'prioritized'], context)) > 0;
}

async function countJobs(
  name: string,
  states: ('waiting' | 'delayed' | 'prioritized' | 'active')[],
  context: ServeContext,
): Promise<number> {
  const counts =
    (await unlessAborted(queueOf(name, context).getJobCounts(...states), context.signal)) ?? {};
  return sum(Object.values(counts));
}

function queueOf(name: string, context: ServeContext): Queue {
  const queue = context.queues.get(name) ?? openQueue(name, context);
  context.queues.set(name, queue);
  return queue;
}

function openQueue(name: string, { packages, connection }: ServeContext): Queue {
  const queue = new packages.bullmq.Queue(name, {
    connection: connection.redis,
    prefix: QUEUE_PREFIX,
    skipMetasUpdate: true,
  });
  // The connection tells of its errors itself.
  queue.on('error', () => undefined);
  return queue;
}

async function serveSweep(name: string, context: ServeContext): Promise<void> {
  const { connection, signal, cacheFolder } = context;
  const cells = await unlessAborted(readCells(connection.redis, name), signal);
  if (cells === undefined) return;
  noteService(name, context);
  const atOnce = cells.filter(({ summarizer }) => !makesWait(summarizer));
  const crew = createCrew({ cells: atOnce, cacheFolder, checksContent: true });
  const live = createLiveRunner({ ...context, name, cells, redis: connection.redis });
  const staff = { name, crew, live, busy: new Set<string>() };
  const service: Service = { ...staff, worker: createWorker(staff, context) };
  try {
    await untilOver(service, context);
  } finally {
    // What is in hand is finished first.
    await service.worker.close();
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
  busy.add(id);
  try {
    const { task, done } = readJob(job.data);
    const text = await readText(context.connection.redis, name, task.session);
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

function otherVersion({ refused, version }: ServeContext): HarnessError {
  const names = [...refused].map((name) => quoted(name)).join(', ');
  return badOption(
    `Expected sweeps of version ${version}, but ${names} has another; install the version that planned it.`,
  );
}
