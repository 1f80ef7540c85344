import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { isAtWork } from '../../../../src/simulator/sweep/queue/no-worker.ts';
import { openRedis } from '../../../support/open-redis.ts';
import { HAS_REDIS, redisNote } from '../../../support/redis-server.ts';

const LOOK_MS = 5;
const LOCK_MS = 500;

describe.runIf(HAS_REDIS)(`a task${redisNote}`, () => {
  const open = openRedis({ maxRetriesPerRequest: null });

  it('is in the hands of a worker, and of one that died until its lock is gone', async () => {
    const connection = open.client!;
    const queue = new Queue('sweep', { connection, prefix: 'compaction-bench' });
    expect(await isAtWork(connection, queue)).toBe(false);
    await queue.add('task', {});
    expect(await isAtWork(connection, queue)).toBe(false);
    const options = { connection, prefix: 'compaction-bench', lockDuration: LOCK_MS };
    const worker = new Worker('sweep', () => new Promise(() => undefined), options);
    while (!(await isAtWork(connection, queue))) await delay(LOOK_MS);
    await worker.close(true);
    while (await isAtWork(connection, queue)) await delay(LOOK_MS);
    expect(await queue.getActiveCount()).toBe(1);
  });
});
