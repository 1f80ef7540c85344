import { Worker as WorkerOfNodeWorkerThreads } from 'node:worker_threads';
import type { Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Environment } from '../../env.ts';
import { keepIn as keepInOfKeepIn, sum } from '../../lib/collections.ts';
import { badOption, type HarnessError, messageOf } from '../../lib/errors.ts';
import { faultCode } from '../../lib/files.ts';
import { quoted } from '../../lib/names.ts';
import { countOf } from '../../report/numbers.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import {
  CAN_START_WORKERS,
  type FromWorker,
  type SentTask,
  type ToWorker,
  type WorkerSetup,
} from '../pool/pool.ts';
import { cellOf, toUnrunLine } from '../run/row.ts';
import { createTaskContext, refusalOf, runTask } from '../run/run-task.ts';
import { byId, type FinishedRun, type SweepTask } from '../run/task.ts';
import type { Cell } from '../grid.ts';
import { pause, unlessAborted } from '../wait.ts';
import {
  connect,
  type Connection,
  loadPackages,
  type Note,
  type QueuePackages,
  readRefusal,
} from './connection.ts';
import { RefusedTask, toQueueError } from './failure.ts';
import { type JobData, type JobResult, readJob } from './job.ts';
import { createLiveRunner, type LiveJob, type LiveRunner } from './live-runner.ts';
import { isQueueName, listSweeps, type OwnSettings, QUEUE_PREFIX, readCells } from './registry.ts';
import { readText } from './run-queued.ts';

/** A sweep that is being served. */
interface Service extends BusyWorker {
  readonly name: string;
  readonly crew: Crew;
  readonly live: LiveRunner;
  readonly busy: Map<string, Keeper>;
}

/** How a worker serves a queue. */
interface ServeOptions {
  readonly url: string;
  /** Version of the package; only sweeps of the same are served. */
  readonly version: string;
  /** Threads. */
  readonly jobs: number;
  /** Time after which others take over what a worker that died had in hand. */
  readonly lockMs: number;
  /** True to end without a sweep, instead of waiting for one. */
  readonly endsWhenIdle: boolean;
  readonly cacheFolder?: string | undefined;
  /** Where the keys of real models are. */
  readonly environment: Environment;
  /** How real models may be asked from here. */
  readonly own: OwnSettings;
  readonly signal: AbortSignal;
  readonly note: Note;
}

/** Why a sweep is left alone: another version planned it, or it is not what a sweep puts into a queue. */
type Flaw = 'version' | 'form';

/** All that serving needs. */
interface ServeContext extends ServeOptions {
  readonly packages: QueuePackages;
  readonly connection: Connection;
  /** Queues that were looked into, by name. */
  readonly queues: Map<string, Queue>;
  /** Sweeps of which the user knows that they are served. */
  readonly served: Set<string>;
  /** Sweeps of which the user knows that they are left alone, by name. */
  readonly refused: Map<string, Flaw>;
  /** Refusals of the server that the user was told. */
  readonly refusals: Set<string>;
}

/** The result of a task: a line for each run, or why none was begun. */
type TaskOutcome =
  | { readonly state: 'ran'; readonly lines: readonly string[] }
  | { readonly state: 'refused'; readonly reason: string };

/** Threads that run the tasks of one sweep, each one at a time. */
interface Crew {
  /** With the session as a text where the queue has it; its file is read otherwise. */
  run(task: SweepTask, text?: string): Promise<TaskOutcome>;
  close(): Promise<void>;
}

/** How a thread came to the end of a task. */
type Ending =
  | { readonly state: 'idle' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'broken'; readonly error: unknown };

/** Takes rows as they are finished. */
type TakeRows = (rows: readonly FinishedRun[]) => void;

/** A thread, or the calling one where none can be started. */
interface TaskThread {
  run(sent: SentTask, onRows: TakeRows): Promise<Ending>;
  close(): Promise<void>;
}

/** The cause of a task's delay: the server, a thread here, or a real model with the limits on the server. */
type Keeper = 'server' | 'thread' | 'model';

/** A worker with what it has in hand. */
interface BusyWorker {
  readonly worker: Pick<Worker, 'pause' | 'close'>;
  /** Tasks in hand by the ids of their jobs. */
  readonly busy: ReadonlyMap<string, Keeper>;
}

const POLL_MS = 500;

/** Workers that may die of one task before it counts as failed. */
const MOST_STALLED = 5;

const LOOK_MS = 100;
/** Looks at a worker that has nothing to do but to wait for the server: some seconds of them. */
const PATIENCE_LOOKS = 50;

/** Runs the tasks of all sweeps of a server, one sweep after another, until the signal fires; tasks in hand are finished then. */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  const told = {
    served: new Set<string>(),
    refused: new Map<string, Flaw>(),
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
  if (context.refused.size > 0 && !options.signal.aborted) throw leftAlone(context);
}

/** The next sweep after another with a task that nobody has taken; where there is none, with one that nobody has finished. */
async function findWork(context: ServeContext, last = ''): Promise<string | undefined> {
  const sweeps =
    (await unlessAborted(listSweeps(context.connection.redis), context.signal)) ?? new Map();
  const names = findServed(sweeps, context);
  const inTurn = [...names.filter((name) => name > last), ...names.filter((name) => name <= last)];
  for (const name of inTurn) if (await hasWaiting(name, context)) return name;
  for (const name of inTurn) if (await hasWork(name, context)) return name;
  return undefined;
}

/** The sweeps that are not left alone. One that was taken away may come back in another form. */
function findServed(sweeps: ReadonlyMap<string, string>, context: ServeContext): readonly string[] {
  const { refused } = context;
  for (const [name, flaw] of refused) {
    if (flaw === 'form' && !sweeps.has(name)) refused.delete(name);
  }
  for (const [name, version] of sweeps) {
    if (version !== context.version) refuseVersion(name, version, context);
    else if (!isQueueName(name)) refuseForm(name, 'no sweep has such a name', context);
  }
  return [...sweeps].flatMap(([name, version]) =>
    version !== context.version || refused.get(name) === 'form' ? [] : [name],
  );
}

function refuseVersion(
  name: string,
  version: string,
  { refused, version: own, note }: ServeContext,
): void {
  if (refused.has(name)) return;
  refused.set(name, 'version');
  note(
    `Sweep ${quoted(name)} was planned by version ${quoted(version)}, this is ${own}: it needs workers of its own version.`,
  );
}

/** Leaves a sweep alone for what it is, and says so once. */
function refuseForm(name: string, reason: string, { refused, note }: ServeContext): void {
  if (refused.get(name) === 'form') return;
  refused.set(name, 'form');
  note(`Sweep ${quoted(name)} is left alone, because ${reason}.`);
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
  return keepInOfKeepIn(context.queues, name, () => openQueue(name, context));
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

async function hasWork(name: string, context: ServeContext): Promise<boolean> {
  return (await hasWaiting(name, context)) || (await countJobs(name, ['active'], context)) > 0;
}

/** Runs the tasks of a sweep until it is over, another one has more of them to give, or the signal fires. */
async function serveSweep(name: string, context: ServeContext): Promise<void> {
  const { connection, signal, cacheFolder } = context;
  const read = await unlessAborted(readCells(connection.redis, name), signal);
  if (read?.state === 'unreadable') refuseForm(name, read.reason, context);
  if (read?.state !== 'read') return;
  const { cells } = read;
  noteService(name, context);
  const atOnce = cells.filter(({ summarizer }) => !makesWait(summarizer));
  const crew = createCrew(atOnce, { cacheFolder, checksContent: true }, context.note);
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

/** A crew without a thread; it gets one for each task that it is given at once. */
function createCrew(cells: readonly Cell[], setup: WorkerSetup, note: Note): Crew {
  const idle: TaskThread[] = [];
  const startTaskThread = CAN_START_WORKERS ? startThread : startHere;
  const known = byId(cells);
  return {
    run: async (task, text) => {
      const lines: string[] = [];
      while (lines.length < task.runs.length) {
        const thread = idle.pop() ?? (await startTaskThread(cells, setup));
        const rest = { ...task, runs: task.runs.slice(lines.length) };
        const ending = await thread.run({ task: rest, text }, (rows) => {
          lines.push(...rows.map(({ line }) => line));
        });
        if (ending.state !== 'broken') idle.push(thread);
        if (ending.state === 'refused') return ending;
        const run = task.runs[lines.length];
        if (ending.state !== 'broken' || run === undefined) break;
        // The run that broke the thread costs its row; the next thread goes on behind it.
        note(`A worker broke: ${messageOf(ending.error)}`);
        const reason = 'the worker broke';
        const at = { cell: cellOf(run, known), run };
        lines.push(toUnrunLine(task.session, at, { state: 'failed', reason }));
      }
      return { state: 'ran', lines };
    },
    close: async () => {
      await Promise.all(idle.splice(0).map((thread) => thread.close()));
    },
  };
}

async function startThread(cells: readonly Cell[], setup: WorkerSetup): Promise<TaskThread> {
  const worker = new WorkerOfNodeWorkerThreads(new URL('../pool/worker.js', import.meta.url), {
    workerData: setup,
  });
  const send = (message: ToWorker) => worker.postMessage(message, []);
  const listening: { take?: TakeRows; end?: (ending: Ending) => void } = {};
  worker.on('error', (error) => listening.end?.({ state: 'broken', error }));
  worker.on('exit', (code) => {
    listening.end?.({ state: 'broken', error: new Error(`it ended with ${code}`) });
  });
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'rows') listening.take?.(message.rows);
    else
      listening.end?.(
        message.type === 'idle' ? { state: 'idle' } : { ...message, state: 'refused' },
      );
  });
  const ended = () =>
    new Promise<Ending>((resolve) => {
      listening.end = resolve;
    });
  const begun = ended();
  send({ type: 'cells', cells });
  const ready = await begun;
  if (ready.state === 'broken') throw ready.error;
  return {
    run: (sent, take) => {
      listening.take = take;
      const over = ended();
      send({ type: 'task', ...sent });
      return over;
    },
    close: () =>
      new Promise((resolve) => {
        worker.on('exit', () => resolve());
        send({ type: 'end' });
      }),
  };
}

/** From sources, which do not load in a thread. */
async function startHere(cells: readonly Cell[], setup: WorkerSetup): Promise<TaskThread> {
  const context = await createTaskContext(cells, setup);
  return {
    run: async ({ task, text }, onRows) => {
      if (text !== undefined) context.give(task.session, text);
      const reason = refusalOf(task, context);
      if (reason !== undefined) return { state: 'refused', reason };
      for await (const rows of runTask(task, context)) onRows(rows);
      return { state: 'idle' };
    },
    close: async () => context.save(),
  };
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
    if (outcome.state === 'refused') throw new RefusedTask(outcome.reason);
    return { lines: outcome.lines };
  } catch (error) {
    throw toQueueError(error, context.note);
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

/** Once; the connection tells of its errors itself, and a lock that was lost is somebody else's task by now. */
function noteRefusal(error: Error, { url, refusals, note }: ServeContext): void {
  const refusal = readRefusal(error, url);
  if (refusal === error || refusals.has(messageOf(refusal))) return;
  refusals.add(messageOf(refusal));
  note(`${messageOf(refusal)} Waiting for it.`);
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

/**
 * Ends a worker: it takes nothing more, and what is in hand is finished and handed over. A server that is away by then
 * is waited for some seconds; what it could not be told goes to another worker.
 */
async function endWorker(
  { worker, busy }: BusyWorker,
  redis: Pick<Redis, 'status'>,
): Promise<void> {
  const over = new AbortController();
  // Not closed yet: a worker that waits for a server in order to close cannot be closed by force.
  worker.pause().then(
    () => over.abort(),
    () => undefined,
  );
  const isKept = () =>
    [...busy.values()].some(
      (by) => by === 'thread' || (by === 'model' && redis.status === 'ready'),
    );
  for (let looks = 0; !over.signal.aborted && looks < PATIENCE_LOOKS; ) {
    looks = isKept() ? 0 : looks + 1;
    await pause(LOOK_MS, over.signal);
  }
  await worker.close(true);
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

function leftAlone({ refused, version }: ServeContext): HarnessError {
  const namesOf = (flaw: Flaw) =>
    [...refused].flatMap(([name, is]) => (is === flaw ? [quoted(name)] : [])).join(', ');
  const others = namesOf('version');
  if (others === '') {
    return badOption(`Expected sweeps as 'sweep --queue' puts them there, got ${namesOf('form')}.`);
  }
  return badOption(
    `Expected sweeps of version ${version}, but ${others} has another; install the version that planned it.`,
  );
}
