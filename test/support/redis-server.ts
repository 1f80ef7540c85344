import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** A server of a test's own, which can be killed and come back. */
export interface RedisServer {
  readonly url: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with what it had written or with nothing. */
  start(kept: 'kept' | 'forgotten'): Promise<void>;
  remove(): Promise<void>;
}

/** A server that speaks as Redis does. */
export type ServerProgram = 'redis-server' | 'valkey-server';

/** Whether there is such a program to start. */
export const isInstalled = (program: ServerProgram): boolean =>
  spawnSync(program, ['--version']).status === 0;

/** Whether there is a `redis-server` to start. */
export const HAS_REDIS = isInstalled('redis-server');

/** Words for the name of tests that need one. */
export const redisNote = HAS_REDIS ? '' : ' (skipped: no redis-server)';

/** Starts a server on a free port of this machine. */
export async function startRedis(program: ServerProgram = 'redis-server'): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-redis-'));
  let running: ChildProcess | undefined;
  const kill = async () => {
    const child = running;
    running = undefined;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const start = async (kept: 'kept' | 'forgotten') => {
    if (kept === 'forgotten')
      rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true });
    const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const how = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
    running = spawn(program, [...where, ...how], { stdio: 'ignore' });
    await answers(url);
  };
  await start('forgotten');
  return {
    url,
    kill,
    start,
    remove: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('Expected a port.');
  return address.port;
}

/** Resolves when the server takes commands. */
async function answers(url: string): Promise<void> {
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}
