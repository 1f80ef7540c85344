import type { SweepHeader } from '../store/header.ts';

/** What all keys in Redis begin with. */
export const QUEUE_PREFIX = 'compaction-bench';

/** What names of queues look like: the id of a sweep, and of which shard. */
const NAME = /^[\da-f]{16}(?:-\d+-of-\d+)?$/;

/** The queue of a sweep, or of its shard: the same whenever it is started, and no other sweep's. */
export function queueNameOf({ sweep, shard }: Pick<SweepHeader, 'sweep' | 'shard'>): string {
  return shard.count === 1 ? sweep : `${sweep}-${shard.index}-of-${shard.count}`;
}

/** Whether a queue may have that name; others may hold what a queue cannot be opened with. */
export function isQueueName(name: string): boolean {
  return NAME.test(name);
}
