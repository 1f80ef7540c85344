import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { BareTrace } from '../../replay/bare-trace.ts';
import { skippedRows, splitTasks, type SweepPlan, tasksOf } from '../plan.ts';
import type { RunPlanOptions } from '../run-plan.ts';
import { tokenizerKey } from '../run/prepare.ts';
import { cellOf, toFinished, unrun } from '../run/row.ts';
import { createMeeting, createTaskContext, type OpenTaskContext } from '../run/run-task.ts';
import type { FinishedRun, SweepTask, SessionRef } from '../run/task.ts';
import { pause, unlessAborted } from '../wait.ts';
import { connect, loadPackages, type Note, readRefusal } from './connection.ts';
import { QUEUE_PREFIX, queueNameOf, readRows, type QueuedTask } from './job.ts';
import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';

export interface RunQueuedOptions
  extends Pick<RunPlanOptions, 'isDone' | 'cacheFolder' | 'signal'> {
  readonly url: string;
  readonly sweep: string;
  readonly version: string;
  /** Throws where rows that were given are gone: the queue keeps them then. */
  readonly checkKept: () => void;
  readonly note: Note;
}

interface QueuedSweep extends Pick<RunQueuedOptions, 'checkKept' | 'signal'> {
  readonly queue: Queue;
  readonly redis: Redis;
  readonly context: OpenTaskContext;
  readonly compiled: { hash?: string; traces: Map<string, BareTrace> };
  readonly open: Map<string, SweepTask>;
}

const JOB_NAME = 'task';

const WINDOW = 100;
const POLL_MS = 200;
const ATTEMPTS = 3;
const LIFE_SECONDS = 604_800;
/** Looks that found nothing, after which somebody should know why: some seconds of them. */
const PATIENCE_LOOKS = 25;

export async function* runQueued(
  plan: SweepPlan,
  options: RunQueuedOptions,
): AsyncGenerator<FinishedRun, void, void> {
  const { isDone, sweep } = options;
  yield* skippedRows(plan, plan.sessions.keys(), isDone);
  // Whole tasks, so that they are the same whenever the sweep is started; those of which a row is missing.
  const tasks = [
    ...splitTasks(
      plan,
      tasksOf(plan, plan.sessions.keys(), () => false),
    ),
  ];
  const idOf = (task: SweepTask) => `${sweep}-${task.id}`;
  const finished = new Set(tasks.filter(({ runs }) => runs.every(({ place }) => isDone(place))));
  const open = new Map(
    tasks.filter((task) => !finished.has(task)).map((task) => [idOf(task), task]),
  );
  if (open.size === 0 || options.signal?.aborted) return;
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  const { redis } = connection;
  const queue = new packages.bullmq.Queue(queueNameOf(options.version), {
    connection: redis,
    prefix: QUEUE_PREFIX,
  });
  // The connection tells of its errors itself.
  queue.on('error', () => undefined);
  const context = await createTaskContext(plan.cells, options);
  try {
    // Whoever was killed between keeping rows and removing their task left it.
    for (const task of finished) await unlessAborted(queue.remove(idOf(task)), options.signal);
    const compiled = { traces: new Map<string, BareTrace>() };
    yield* fetchAll({ ...options, queue, redis, context, compiled, open }, options.note);
  } catch (error) {
    throw readRefusal(error, options.url);
  } finally {
    connection.close();
  }
}

async function* fetchAll(sweep: QueuedSweep, note: Note): AsyncGenerator<FinishedRun, void, void> {
  const { open, queue, redis, signal } = sweep;
  const watch = createIdleWatch(queue, note);
  while (open.size > 0) {
    if (signal?.aborted) return;
    const before = open.size;
    for (const [id, task] of [...open].slice(0, WINDOW)) {
      yield* advance(id, task, sweep);
      if (signal?.aborted) return;
    }
    if (open.size < before) continue;
    await unlessAborted(watch(), signal);
    await pause(POLL_MS, signal);
  }
  // Nothing stays that a queue without tasks says of those that it had.
  const tidy = async () => {
    const counts = Object.values(await queue.getJobCounts());
    if (counts.some((count) => count > 0)) return;
    await redis.del(...['events', 'id', 'meta'].map((name) => queue.toKey(name)));
  };
  await unlessAborted(tidy(), signal);
}

/** A server that was restarted may have forgotten a task; it is put again. */
async function* advance(id: string, task: SweepTask, sweep: QueuedSweep) {
  const { queue, signal } = sweep;
  const state = await unlessAborted(queue.getJobState(id), signal);
  if (state === 'unknown') yield* put(id, task, sweep);
  if (state !== 'completed' && state !== 'failed') return;
  const job = await unlessAborted<Job | undefined>(queue.getJob(id), signal);
  if (job === undefined) return;
  const rows =
    state === 'failed'
      ? failedRows(task, 'the worker broke', sweep)
      : readRows(task, job.returnvalue);
  if (rows === undefined) {
    throw new HarnessError(
      'UNREADABLE',
      `Expected a worker to run ${quoted(task.session.name)}, got something else than its rows.`,
    );
  }
  yield* rows;
  // Not before its rows stand where they are kept: whoever is killed between the two finds them again.
  sweep.checkKept();
  sweep.open.delete(id);
  await unlessAborted(job.remove(), signal);
}

async function* put(id: string, task: SweepTask, sweep: QueuedSweep) {
  const { context, queue, open, compiled, signal } = sweep;
  const { session, runs } = task;
  const { meet } = createMeeting(session, context.cells);
  const models = new Set(runs.map((run) => meet(run).cell.model.id));
  await context.load(models);
  try {
    // Pieces of a large session follow one another.
    if (compiled.hash !== session.hash)
      Object.assign(compiled, { hash: session.hash, traces: new Map() });
    for (const model of models)
      keepIn(compiled.traces, tokenizerKey(model), () => context.bareFor(session, model));
  } catch (error) {
    yield* failedRows(task, messageOf(error), sweep);
    open.delete(id);
    return;
  }
  const cells = new Set(runs.map((run) => cellOf(run, context.cells)));
  const data = packTask({ task, cells: [...cells], traces: compiled.traces });
  const expiry = { removeOnComplete: { age: LIFE_SECONDS }, removeOnFail: { age: LIFE_SECONDS } };
  const adding = queue.add(JOB_NAME, data, { jobId: id, attempts: ATTEMPTS, ...expiry });
  await unlessAborted(adding, signal);
}

function* failedRows({ session, runs }: SweepTask, reason: string, { context }: QueuedSweep) {
  const { meet } = createMeeting(session, context.cells);
  for (const run of runs) yield toFinished(session, meet(run), unrun('failed', reason));
}

function createIdleWatch(queue: Queue, note: Note) {
  let looks = 0;
  let patience = PATIENCE_LOOKS;
  return async () => {
    looks = (await queue.getWorkersCount()) > 0 ? 0 : looks + 1;
    if (looks < patience) return;
    note("No worker is there: 'compaction-bench sweep worker --queue' with this address is one.");
    patience *= 2;
  };
}

function packTask({ task, ...rest }: QueuedTask) {
  const session: SessionRef = { ...task.session, file: '', index: 0 };
  const bytes = serialize({ ...rest, task: { ...task, session } });
  return { packed: gzipSync(bytes).toString('base64') };
}
