import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../src/cli/process/io.ts';
import {
  createSharedBudget,
  forgetSpent,
  readSpent,
} from '../../../../src/simulator/sweep/queue/registry.ts';
import type { CapturedIoOptions } from '../../../support/captured-io.ts';
import { callMain } from '../../../support/command.ts';
import { inTurn, type Received, says, serverError } from '../../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../../support/model-server/server.ts';
import {
  HAS_REDIS,
  isInstalled,
  redisNote,
  type RedisServer,
  type ServerProgram,
  startRedis,
} from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const LOOK_MS = 5;
const MINUTE_MS = 61_000;
const REQUESTS = 'compaction-bench:requests';
const SECRET = 'a-key-of-nobody-0123456789';
const KEY = { env: { LAB_KEY: SECRET } };

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const [index, words] of [300, 320, 340, 360].entries()) {
  writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
}
const GRID = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k', '--format', 'json'];

const open: { redis?: RedisServer; client?: Redis; server?: ModelServer } = {};

const call = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['--no-cache', ...argv], options);

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}

const at = () => ['--base-url', open.server!.url, '--api-key-env', 'LAB_KEY'];
const asking = (...more: readonly string[]) => ['--summarizer', 'ai:lab/m', ...at(), ...more];
const sweep = (out: string, ...more: readonly string[]) =>
  call(['sweep', sessions, ...GRID, '--out', join(folder, out), ...more], KEY);
const queued = (out: string, ...more: readonly string[]) =>
  sweep(out, '--queue', open.redis!.url, ...more);
const work = (own = at(), options: CapturedIoOptions = KEY) =>
  call(['sweep', 'worker', '--once', '--queue', open.redis!.url, '--jobs', '2', ...own], options);

const isDown = (body: Received['body']) => body['model'] === 'down';
const lines = (out: string) =>
  readFileSync(join(folder, out, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n');
const keys = () => open.client!.keys('*');
const key = async (name: string) =>
  `compaction-bench:${Object.keys(await open.client!.hgetall('compaction-bench:sweeps'))[0]}:${name}`;
const isQueued = (count: number) => async () =>
  (await open.client!.llen(await key('wait'))) === count;

/** Everything that a server holds, as texts. */
async function allTexts(): Promise<string> {
  const client = open.client!;
  const read: Record<string, (name: string) => Promise<unknown>> = {
    hash: (name) => client.hgetall(name),
    list: (name) => client.lrange(name, 0, -1),
    set: (name) => client.smembers(name),
    zset: (name) => client.zrange(name, '0', '-1'),
    stream: (name) => client.xrange(name, '-', '+'),
    string: (name) => client.get(name),
  };
  const values = (await keys()).map(async (name) => read[await client.type(name)]!(name));
  return JSON.stringify(await Promise.all(values));
}

/** Makes all requests that were sent a minute older. */
async function passMinute(): Promise<void> {
  const sent = await open.client!.zrange(REQUESTS, '0', '-1');
  for (const one of sent) await open.client!.zincrby(REQUESTS, -MINUTE_MS, one);
}

describe.runIf(HAS_REDIS)(`a sweep in a queue that asks real models${redisNote}`, () => {
  beforeAll(async () => {
    open.redis = await startRedis();
    open.client = new Redis(open.redis.url);
    open.server = await startModelServer(inTurn(says('## Goal\nAll of it.')));
  });

  afterAll(async () => {
    open.client?.disconnect();
    await open.server?.close();
    await open.redis?.remove();
  });

  afterEach(async () => {
    await open.client!.flushall();
  });

  it('asks no more in a minute than it may, however many workers there are, and tells nobody the key', async () => {
    const { received } = open.server!;
    const before = received.length;
    const asked = () => received.length - before;
    const most = 4;
    const sweeping = queued('rates', ...asking('--requests-per-minute', String(most)));
    await until(isQueued(4));
    const workers = [work(), work()];
    for (let minute = 1; minute <= 2; minute++) {
      await until(() => asked() === minute * most);
      // Both would have asked again by now.
      await delay(1_500);
      expect(asked()).toBe(minute * most);
      expect(await allTexts()).not.toContain(SECRET);
      await passMinute();
    }
    let isOver = false;
    const ended = sweeping.finally(() => (isOver = true));
    await until(async () => {
      await passMinute();
      return isOver;
    });
    const { code } = await ended;
    await Promise.all(workers);
    const reasons = lines('rates').map((line) => JSON.parse(line).reason);
    expect({ code, reasons }).toEqual({ code: EXIT.done, reasons: reasons.map(() => undefined) });
    expect(received.at(-1)?.headers['authorization']).toBe(`Bearer ${SECRET}`);
    expect(lines('rates')).toHaveLength(4);
    expect((await keys()).filter((name) => name !== REQUESTS)).toEqual([]);
  });

  it('keeps one budget for all workers', async () => {
    const { received } = open.server!;
    const before = received.length;
    // Two of them take most of the budget.
    const usage = { inputTokens: 100, outputTokens: 30_000 };
    open.server!.play(inTurn(says('## Goal', { usage })));
    const model = ['--summarizer', 'ai:openai/gpt-5-mini', '--api', 'chat', ...at()];
    const sweeping = queued('budget', ...model, '--budget-usd', '0.14');
    await until(isQueued(4));
    await Promise.all([work(), work()]);
    const { code, stderr } = await sweeping;
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('which would pass the budget of $0.1400');
    expect(stderr).toContain('Spent on summaries: $0.12');
    expect(received.length - before).toBe(2);
  });

  it.each([
    ['counts what a request cost', false, 1_000_000],
    ['gives nothing back to an account that the server has forgotten', true, 0],
  ])('%s', async (_, isForgotten, spent) => {
    const client = open.client!;
    const held = await createSharedBudget(client, 'a-sweep', 1).hold(9_000_000);
    if (isForgotten) await forgetSpent(client, 'a-sweep');
    await held.settle(1_000_000);
    expect(await readSpent(client, 'a-sweep')).toBe(spent);
  });

  it.each<[string, () => readonly string[], CapturedIoOptions, string]>([
    ['no key', at, {}, "environment variable 'LAB_KEY', which is not set"],
    ['another address', () => ['--api-key-env', 'LAB_KEY'], KEY, "have the same '--base-url'"],
    [
      'another folder',
      () => [...at(), '--cassette', folder],
      KEY,
      "have the same '--cassette', got",
    ],
  ])('ends in a sentence that names what a worker with %s lacks', async (_, own, io, message) => {
    const before = open.server!.received.length;
    const sweeping = queued('lacking', ...asking());
    await until(isQueued(4));
    await work(own() as string[], io);
    const { code, stderr } = await sweeping;
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(/worker on \S+: /);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(open.server!.received.length).toBe(before);
  });

  it('asks again for what nobody answered, and for nothing that was answered beside it', async () => {
    const { received } = open.server!;
    const askedOf = (model: string) =>
      received.filter(({ body }) => body['model'] === model).length;
    open.server!.play(({ body }) => (isDown(body) ? serverError : says('## Goal\nAll of it.')));
    const both = ['--summarizer', 'ai:lab/down,ai:lab/up', ...at(), '--retries', '0'];
    const failing = queued('beside', ...both);
    await until(isQueued(4));
    await work();
    expect((await failing).stderr).toContain("Expected an answer from 'ai:lab/down'");
    const answered = askedOf('up');
    expect(answered).toBeGreaterThan(0);
    open.server!.play(inTurn(says('## Goal\nAll of it.')));
    const again = queued('beside', ...both);
    await until(isQueued(4));
    await work();
    expect((await again).code).toBe(EXIT.done);
    expect(lines('beside')).toHaveLength(8);
    expect(askedOf('up')).toBe(answered);
  });

  it('runs sessions that a worker has no file of where they are sent, and leaves none behind', async () => {
    const local = await sweep('local');
    const sweeping = queued('sent', '--send-texts');
    await until(isQueued(4));
    expect((await keys()).some((name) => name.includes(':texts:'))).toBe(true);
    const away = `${sessions}-away`;
    renameSync(sessions, away);
    await work();
    renameSync(away, sessions);
    expect({ ...(await sweeping), stderr: '' }).toEqual({ ...local, stderr: '' });
    expect(lines('sent')).toEqual(lines('local'));
    expect(await keys()).toEqual([]);
  });

  it('takes out of the queue what an earlier call left there, where nothing is to be run any more', async () => {
    const stop = new AbortController();
    const more = [
      ...GRID,
      '--out',
      join(folder, 'left'),
      '--queue',
      open.redis!.url,
      '--send-texts',
    ];
    const stopped = call(['sweep', sessions, ...more], { signal: stop.signal });
    await until(isQueued(4));
    stop.abort();
    expect((await stopped).code).toBe(EXIT.interrupted);
    expect((await keys()).some((name) => name.includes(':texts:'))).toBe(true);
    const local = await sweep('left');
    expect(await queued('left', '--send-texts')).toEqual(local);
    expect(await keys()).toEqual([]);
  });

  it('says that the server is away where nothing is to be run any more, and is done', async () => {
    const local = await sweep('complete');
    const { stderr, ...ended } = await sweep('complete', '--queue', 'redis://127.0.0.1:1');
    expect(ended).toEqual({ code: local.code, stdout: local.stdout });
    expect(stderr).toMatch(
      /^Expected a Redis or Valkey server at '127\.0\.0\.1:1', .* All rows are there; what .*\n$/,
    );
  });

  it('refuses what workers would have to be told', async () => {
    const secret = ['--base-url', 'http://127.0.0.1:1/v1?key=secret'];
    const { code, stderr } = await queued('told', '--summarizer', 'ai:lab/m', ...secret);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain("Expected '--base-url' to have no query");
    expect(stderr).not.toContain('secret');
  });
});

const PROGRAMS: readonly ServerProgram[] = ['redis-server', 'valkey-server'];
const installed = PROGRAMS.filter(isInstalled);
for (const program of PROGRAMS.filter((one) => !installed.includes(one))) {
  console.warn(`Skipped the tests of a queue in ${program}: it is not installed.`);
}

describe.each(installed)('a queue in %s', (program) => {
  beforeAll(async () => {
    open.redis = await startRedis(program);
    open.client = new Redis(open.redis.url);
    open.server = await startModelServer(inTurn(says('## Goal')));
  });

  afterAll(async () => {
    open.client?.disconnect();
    await open.server?.close();
    await open.redis?.remove();
  });

  it('carries a sweep to its end, with texts, a limit and a budget', async () => {
    const limits = ['--requests-per-minute', '500', '--tokens-per-minute', '100000000'];
    const model = ['--summarizer', 'extractive,ai:openai/gpt-5-mini', '--api', 'chat', ...at()];
    const more = ['--budget-usd', '100', '--send-texts'];
    const sweeping = queued(program, ...model, ...limits, ...more);
    await until(isQueued(8));
    await work();
    expect((await sweeping).code).toBe(EXIT.done);
    expect(lines(program)).toHaveLength(8);
    expect(await keys()).toEqual([REQUESTS]);
  });
});
