import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Note } from './connection.ts';

/** Tells the user where nobody works on a sweep. */
export interface IdleWatch {
  /** Counts a look into the queue that found nothing. */
  sawNothing(): Promise<void>;
  /** Counts one that found rows. */
  sawRows(): void;
}

/** Looks that found nothing, after which somebody should know why: some seconds of them. */
const PATIENCE_LOOKS = 25;

/** A watch that speaks when nobody has been at work for a while, and again whenever that has lasted twice as long. */
export function createIdleWatch(isAnybodyThere: () => Promise<boolean>, note: Note): IdleWatch {
  let looks = 0;
  let patience = PATIENCE_LOOKS;
  const reset = () => {
    looks = 0;
    patience = PATIENCE_LOOKS;
  };
  return {
    sawRows: reset,
    sawNothing: async () => {
      looks += 1;
      if (looks < patience) return;
      if (await isAnybodyThere()) {
        reset();
        return;
      }
      note(
        "No worker has a task in hand: 'compaction-bench worker --queue' with this address is one.",
      );
      patience *= 2;
    },
  };
}

/** Whether a worker has a task in hand; one that died has it until its lock is gone. */
export async function isAtWork(
  redis: Pick<Redis, 'lrange' | 'exists'>,
  queue: Pick<Queue, 'toKey'>,
): Promise<boolean> {
  const ids = await redis.lrange(queue.toKey('active'), 0, -1);
  if (ids.length === 0) return false;
  return (await redis.exists(ids.map((id) => queue.toKey(`${id}:lock`)))) > 0;
}
