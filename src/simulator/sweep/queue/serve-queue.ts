import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf } from '../../lib/errors.ts';
import { countOf } from '../../report/numbers.ts';
import { CAN_START_WORKERS } from '../pool/pool.ts';
import { pause, unlessAborted } from '../wait.ts';
import { connect, loadPackages, type Note, type QueuePackages, readRefusal } from './connection.ts';
import { createRunJob, QUEUE_PREFIX, queueNameOf } from './job.ts';

interface ServeOptions {
  readonly url: string;
  readonly version: string;
  readonly jobs: number;
  /** Time after which others take over what a worker that died had in hand. */
  readonly lockMs: number;
  readonly endsWhenIdle: boolean;
  readonly signal: AbortSignal;
  readonly note: Note;
}

const POLL_MS = 500;
const MOST_STALLED = 5;
const LOOK_MS = 100;
/** Looks at a server that is away before a worker ends without it: some seconds of them. */
const PATIENCE_LOOKS = 50;

export async function serveQueue(options: ServeOptions) {
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  const { redis } = connection;
  const worker = startWorker(redis, packages, options);
  options.note(`Serving the queue with ${countOf(options.jobs, 'thread')}.`);
  try {
    await untilOver(redis, packages, options);
  } catch (error) {
    throw readRefusal(error, options.url);
  } finally {
    await endWorker(worker, redis);
    connection.close();
  }
}

function startWorker(redis: Redis, { bullmq }: QueuePackages, options: ServeOptions) {
  const { url, version, jobs, lockMs, note } = options;
  // From sources, which do not load in a thread, jobs run here.
  const runner = CAN_START_WORKERS ? new URL('./thread.js', import.meta.url) : createRunJob();
  const worker = new bullmq.Worker(queueNameOf(version), runner, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    concurrency: jobs,
    useWorkerThreads: true,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    maxStalledCount: MOST_STALLED,
  });
  const told = new Set<string>();
  worker.on('failed', (_, error) => note(`A task failed: ${messageOf(error)}`));
  // The connection tells of its errors itself, and a lock that was lost is somebody else's task by now.
  worker.on('error', (error) => {
    const refusal = readRefusal(error, url);
    if (refusal === error || told.has(messageOf(refusal))) return;
    told.add(messageOf(refusal));
    note(`${messageOf(refusal)} Waiting for it.`);
  });
  return worker;
}

async function untilOver(
  redis: Redis,
  { bullmq }: QueuePackages,
  { version, endsWhenIdle, signal }: ServeOptions,
) {
  const options = { connection: redis, prefix: QUEUE_PREFIX };
  const queue = new bullmq.Queue(queueNameOf(version), options);
  queue.on('error', () => undefined);
  while (!signal.aborted) {
    await pause(POLL_MS, signal);
    if (!endsWhenIdle) continue;
    const left = queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
    if ((await unlessAborted(left, signal)) === 0) return;
  }
}

async function endWorker(worker: Worker, redis: Redis) {
  const over = new AbortController();
  // Not closed yet: a worker that waits for a server in order to close cannot be closed by force.
  worker.pause().then(
    () => over.abort(),
    () => undefined,
  );
  for (let looks = 0; !over.signal.aborted && looks < PATIENCE_LOOKS; ) {
    looks = redis.status === 'ready' ? 0 : looks + 1;
    await pause(LOOK_MS, over.signal);
  }
  await worker.close(true);
}
