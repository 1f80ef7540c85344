import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { main } from '../../../../src/cli/main.ts';
import { connect } from '../../../../src/simulator/sweep/queue/connection.ts';
import { loadPackages } from '../../../../src/simulator/sweep/queue/packages.ts';
import { captureIo } from '../../../support/captured-io.ts';
import { callMain } from '../../../support/command.ts';
import {
  HAS_REDIS,
  type RedisServer,
  redisNote,
  startRedis,
} from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const note = () => undefined;

const call = (argv: readonly string[]) => callMain(['--no-cache', ...argv]);

describe('a server that takes a connection and says nothing', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((socket) => socket.on('error', note)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  afterAll(() => server.close());

  it('is given up in a sentence', async () => {
    const connecting = connect(url, await loadPackages(), { note, timeoutMs: 50 });
    await expect(connecting).rejects.toThrow("got 'no answer within 50 ms'");
  });

  it.each([
    ['worker', []],
    ['sweep', [writeFile(createFolder(), 'chat.json', chatOf(2)), '--out', createFolder()]],
  ])('is left at once by a %s that somebody wants to stop', async (command, argv) => {
    const controller = new AbortController();
    server.once('connection', () => controller.abort());
    const io = { ...captureIo(), signal: controller.signal };
    expect(await main(['--no-cache', command, ...argv, '--queue', url], io)).toBe(EXIT.interrupted);
  });
});

describe.runIf(HAS_REDIS)(`a server${redisNote}`, () => {
  const folder = createFolder();
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.remove());

  it('that lacks the database of an address is refused', async () => {
    const { code, stderr } = await call(['worker', '--once', '--queue', `${redis.url}/99`]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(
      /^Expected a Redis or Valkey server at .*DB index is out of range'\.\n$/,
    );
  });

  it('that has no room is told of in a sentence', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1');
    const chat = writeFile(folder, 'chat.json', chatOf(2));
    const argv = ['sweep', chat, '--out', `${folder}/out`, '--queue', redis.url];
    const { code, stderr } = await call(argv);
    await client.config('SET', 'maxmemory', '0');
    client.disconnect();
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(
      /^Expected the queue at '127\.0\.0\.1:\d+' to carry out its commands, got 'OOM /,
    );
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
