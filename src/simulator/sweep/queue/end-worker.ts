import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { pause } from '../wait.ts';

/** What a task in hand is kept by: the server, a thread of this machine, or a real model and the limits on the server. */
export type Keeper = 'server' | 'thread' | 'model';

/** A worker with what it has in hand. */
export interface BusyWorker {
  readonly worker: Pick<Worker, 'pause' | 'close'>;
  /** Tasks in hand by the ids of their jobs. */
  readonly busy: ReadonlyMap<string, Keeper>;
}

const LOOK_MS = 100;
/** Looks at a worker that has nothing to do but to wait for the server: some seconds of them. */
const PATIENCE_LOOKS = 50;

/**
 * Ends a worker: it takes nothing more, and what is in hand is finished and handed over. A server that is away by then
 * is waited for some seconds; what it could not be told goes to another worker.
 */
export async function endWorker(
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
