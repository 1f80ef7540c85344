import type { SweepHeader } from '../store/header.ts';

/** What all keys in Redis begin with. */
export const QUEUE_PREFIX = 'compaction-bench';

/** The queue of a sweep, or of its shard: the same whenever it is started, and no other sweep's. */
export function queueNameOf({ sweep, shard }: Pick<SweepHeader, 'sweep' | 'shard'>): string {
  return shard.count === 1 ? sweep : `${sweep}-${shard.index}-of-${shard.count}`;
}
