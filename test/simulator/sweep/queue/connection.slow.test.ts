import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../../../src/cli/main.ts';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { readVersion } from '../../../../src/cli/package.ts';
import { connect, loadPackages } from '../../../../src/simulator/sweep/queue/connection.ts';
import { captureIo } from '../../../support/captured-io.ts';
import { callMain } from '../../../support/command.ts';
import { openRedis } from '../../../support/open-redis.ts';
import {
  HAS_REDIS,
  redisNote,
  type RedisServer,
  startRedis,
} from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const note = () => undefined;
const SIZES = ['--summarizer', 'scripted:usual'];
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
    ['sweep worker', []],
    [
      'sweep',
      [writeFile(createFolder(), 'chat.json', chatOf(2)), ...SIZES, '--out', createFolder()],
    ],
  ])('is left at once by a %s that somebody wants to stop', async (command, argv) => {
    const controller = new AbortController();
    server.once('connection', () => controller.abort());
    const io = { ...captureIo(), signal: controller.signal };
    expect(await main(['--no-cache', ...command.split(' '), ...argv, '--queue', url], io)).toBe(
      EXIT.interrupted,
    );
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
    const { code, stderr } = await call([
      'sweep',
      'worker',
      '--once',
      '--queue',
      `${redis.url}/99`,
    ]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(
      /^Expected a Redis or Valkey server at .*DB index is out of range'\.\n$/,
    );
  });

  it('that has no room is told of in a sentence', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1');
    const chat = writeFile(folder, 'chat.json', chatOf(2));
    const argv = ['sweep', chat, ...SIZES, '--out', `${folder}/out`, '--queue', redis.url];
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

const folder = createFolder();
const sessions = join(folder, 'sessions');
writeFile(sessions, 'chat.json', chatOf(2));

describe('a queue', () => {
  it.each<[string, readonly string[], string]>([
    ['no address', ['sweep', 'worker', '--queue', 'localhost'], 'like redis://HOST:PORT'],
    [
      'an address of something else',
      ['sweep', 'worker', '--queue', 'http://u:secret@host'],
      'like redis://',
    ],
    ['no host', ['sweep', 'worker', '--queue', 'redis://'], 'like redis://HOST:PORT'],
    [
      'no number of a database',
      ['sweep', 'worker', '--queue', 'redis://u:secret@h/x'],
      'like redis://HOST',
    ],
    [
      'a bare % in a password',
      ['sweep', 'worker', '--queue', 'redis://:pa%secret@h'],
      'is written %25',
    ],
    [
      'a bare % in a name',
      ['sweep', 'worker', '--queue', 'redis://%zz:secret@h'],
      'is written %25',
    ],
    [
      'bytes that are no text',
      ['sweep', 'worker', '--queue', 'redis://:secret%ff@h'],
      'is written %25',
    ],
    [
      'a bare % at a sweep',
      ['sweep', sessions, '--out', folder, '--queue', 'redis://:pa%secret@h'],
      'is written %25',
    ],
    [
      'settings of a connection',
      ['sweep', sessions, '--out', folder, '--queue', 'redis://h?keyPrefix=secret'],
      "without '?' and '#'",
    ],
    [
      'half a password',
      ['sweep', 'worker', '--queue', 'redis://u:1#secret@h'],
      "without '?' and '#'",
    ],
    [
      'a server that is not there',
      ['sweep', 'worker', '--queue', 'redis://u:secret@127.0.0.1:1'],
      "at '127.0.0.1:1'",
    ],
    [
      'no time for a lock',
      ['sweep', 'worker', '--queue', 'redis://h', '--lock-seconds', '0'],
      'from 1 to',
    ],
    [
      'a real model',
      ['sweep', sessions, '--summarizer', 'ai:local/m', '--out', folder, '--queue', 'redis://h'],
      "Expected '--summarizer' to need no texts with '--queue', which carries sizes alone, such as scripted:usual, got 'ai:local/m'.",
    ],
    [
      'a summarizer that reads texts',
      ['sweep', sessions, '--summarizer', 'extractive', '--out', folder, '--queue', 'redis://h'],
      "such as scripted:usual, got 'extractive'.",
    ],
    [
      'a sweep that keeps nothing',
      ['sweep', sessions, '--queue', 'redis://h'],
      "Expected '--queue' to come with '--out'",
    ],
  ])('refuses %s in one sentence, without the password', async (_, argv, message) => {
    const { code, stderr } = await call(argv);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('leaves no folder of a sweep whose server is not there', async () => {
    const out = join(createFolder(), 'results');
    const argv = ['sweep', sessions, ...SIZES, '--queue', 'redis://127.0.0.1:1', '--out', out];
    expect(await call(argv)).toMatchObject({ code: EXIT.wrongUse });
    expect(existsSync(out)).toBe(false);
  });

  it('says how to install what it needs', async () => {
    const absent = Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadPackages(() => Promise.reject(absent))).rejects.toThrow(
      'npm install bullmq ioredis',
    );
  });
});

const LOOK_MS = 5;
const REFUSED =
  /^Expected the queue at '[^']*' to carry out its commands, got 'OOM .*'maxmemory'\.'\./;
const ownFolder = createFolder();
const twoSessions = join(ownFolder, 'sessions');
for (const words of [100, 200]) writeFile(twoSessions, `chat-${words}.json`, chatOf(2, words));

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}

describe.runIf(HAS_REDIS)(`a server without room for what workers did${redisNote}`, () => {
  const open = openRedis();

  const call = (...argv: readonly string[]) =>
    callMain(['--no-cache', ...argv, '--queue', open.redis!.url]);
  const sweep = () => call('sweep', twoSessions, ...SIZES, '--out', join(ownFolder, 'out'));
  const setRoom = (bytes: string) => open.client!.config('SET', 'maxmemory', bytes);
  const waiting = `compaction-bench:tasks-${readVersion()}:wait`;
  const isPut = async () => (await open.client!.llen(waiting)) === 2;

  it('is told of by a worker, which waits for some', async () => {
    const planned = sweep();
    await until(isPut);
    await setRoom('1');
    const stop = new AbortController();
    const io = { ...captureIo(), signal: stop.signal };
    const argv = ['--no-cache', 'sweep', 'worker', '--jobs', '1', '--queue', open.redis!.url];
    const serving = main(argv, io);
    await until(() => io.written.stderr.includes('Waiting for it.'));
    await setRoom('0');
    expect((await planned).code).toBe(EXIT.done);
    stop.abort();
    expect(await serving).toBe(EXIT.interrupted);
    const [, ...told] = io.written.stderr.trim().split('\n');
    expect(told).toEqual([expect.stringMatching(REFUSED), 'Interrupted.']);
  });
});
