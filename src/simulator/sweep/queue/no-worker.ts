import type { Queue } from 'bullmq';
import type { Note } from './connection.ts';

/** Looks that found nothing, after which somebody should know why: some seconds of them. */
const PATIENCE_LOOKS = 25;

/** Counts looks into a queue that found nothing; tells once, after a while, where no worker is at work. */
export function createIdleWatch(
  queue: Pick<Queue, 'getActiveCount'>,
  note: Note,
): () => Promise<void> {
  let looks = 0;
  return async () => {
    looks += 1;
    if (looks !== PATIENCE_LOOKS || (await queue.getActiveCount()) > 0) return;
    note("No worker has taken a task: 'compaction-bench worker --queue' with this address is one.");
  };
}
