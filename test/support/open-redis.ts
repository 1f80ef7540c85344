import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.ts';

/** A server for the tests of one suite, with a client; both are there once they run. */
interface OpenRedis {
  redis?: RedisServer;
  client?: Redis;
}

/** Starts a server before the tests of a suite, and removes it after them. */
export function openRedis(options: { readonly maxRetriesPerRequest?: null } = {}): OpenRedis {
  const open: OpenRedis = {};
  beforeAll(async () => {
    open.redis = await startRedis();
    open.client = new Redis(open.redis.url, options);
  });
  afterAll(async () => {
    open.client?.disconnect();
    await open.redis?.remove();
  });
  return open;
}
