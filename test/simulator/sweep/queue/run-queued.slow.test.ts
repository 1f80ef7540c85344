import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../../../src/cli/main.ts';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { buildPackage, type BuiltPackage, type Ended } from '../../../support/built-package.ts';
import { captureIo } from '../../../support/captured-io.ts';
import { callMain } from '../../../support/command.ts';
import {
  HAS_REDIS,
  redisNote,
  type RedisServer,
  startRedis,
} from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

/** A server that is there already; tests that kill theirs start one of their own. */
const GIVEN = process.env['COMPACTION_BENCH_REDIS'];
const LOOK_MS = 5;

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const [index, words] of [100, 200, 300, 400, 500, 600].entries()) {
  writeFile(sessions, `chat-${index}.json`, chatOf(40, words));
}
const GRID = `--set contextTokens=16k --vary reserved=1k,3k --policy document-001 --format json`;
const FILES = ['sweep.json', 'results.jsonl'];

const open: { built?: BuiltPackage; redis?: RedisServer; client?: Redis } = {};

let started = 0;

/** A process of the package, with its id as the system knows it. */
interface Running {
  readonly ended: Promise<Ended>;
  signal(name: 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

function run(line: string): Running {
  const file = join(folder, `pid-${started++}`);
  const ended = open.built!.runShell(`echo $$ > '${file}'; exec npx compaction-bench ${line}`);
  const hasId = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
  return {
    ended,
    signal: async (name) => {
      await until(hasId);
      process.kill(Number(readFileSync(file, 'utf8')), name);
    },
  };
}

const sweep = (out: string, rest = '', from = sessions) =>
  run(`--no-cache sweep '${from}' ${GRID} --jobs 1 --out '${join(folder, out)}' ${rest}`);
const queued = (out: string) => sweep(out, `--queue ${open.redis!.url}`);
const work = (rest = '') =>
  run(`--no-cache sweep worker --queue ${open.redis!.url} --jobs 1 --lock-seconds 1 ${rest}`);

const call = (argv: readonly string[]) => callMain(['--no-cache', ...argv]);

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}

const hasRows = (out: string) => () =>
  (statSync(join(folder, out, 'results.jsonl'), { throwIfNoEntry: false })?.size ?? 0) > 0;
const bytes = (out: string) => FILES.map((name) => readFileSync(join(folder, out, name), 'utf8'));
const outcome = (out: string, ended: Ended) => ({ ...ended, stderr: '', files: bytes(out) });
const isEmpty = async () => (await open.client!.keys('*')).length === 0;
const queueName = async () => Object.keys(await open.client!.hgetall('compaction-bench:sweeps'))[0];
const listOf = (queue: string, name: string) => `compaction-bench:${queue}:${name}`;
const key = async (name: string) => `compaction-bench:${await queueName()}:${name}`;

/** Stops a worker while a task is in its hands. */
async function stopInHand(worker: Running): Promise<void> {
  for (;;) {
    await until(async () => (await open.client!.llen(await key('active'))) > 0);
    await worker.signal('SIGSTOP');
    if ((await open.client!.llen(await key('active'))) > 0) return;
    await worker.signal('SIGCONT');
  }
}

const workerNote = GIVEN === undefined ? redisNote : '';

describe.runIf(HAS_REDIS)(`a sweep in a queue${redisNote}`, () => {
  let local: Ended;

  beforeAll(async () => {
    open.built = buildPackage();
    open.redis = await startRedis();
    open.client = new Redis(open.redis.url, { maxRetriesPerRequest: null });
    open.client.on('error', () => undefined);
    local = await sweep('local').ended;
  });

  afterAll(async () => {
    open.client?.disconnect();
    await open.redis?.remove();
    open.built?.remove();
  });

  afterEach(async () => {
    await open.client!.flushall();
  });

  /** Takes over from one test to the next, for it starts no faster than the rest of a test runs. */
  let worker: Running;

  it('comes to the bytes of a local one', async () => {
    const other = work();
    worker = work();
    expect(outcome('plain', await queued('plain').ended)).toEqual(outcome('local', local));
    await until(isEmpty);
    await other.signal('SIGINT');
    expect((await other.ended).code).toBe(EXIT.interrupted);
  });

  it.each(['kept', 'forgotten'] as const)(
    'outlives its server, and all that it had %s',
    async (kept) => {
      const out = `server-${kept}`;
      const coordinator = queued(out);
      await until(hasRows(out));
      await open.redis!.kill();
      await open.redis!.start(kept);
      expect(outcome(out, await coordinator.ended)).toEqual(outcome('local', local));
      await until(isEmpty);
    },
  );

  it('gives the task of a worker that was killed to another one', async () => {
    const coordinator = queued('worker-killed');
    await stopInHand(worker);
    await worker.signal('SIGKILL');
    worker = work();
    expect(outcome('worker-killed', await coordinator.ended)).toEqual(outcome('local', local));
    await until(isEmpty);
  });

  it('says that rows are kept where a coordinator is interrupted, and goes on from there', async () => {
    const out = 'coordinator-interrupted';
    const coordinator = queued(out);
    await until(hasRows(out));
    await coordinator.signal('SIGINT');
    const { code, stderr } = await coordinator.ended;
    expect(code).toBe(EXIT.interrupted);
    expect(stderr).toContain(
      'What is finished is kept: the same command goes on from there.\nInterrupted.\n',
    );
    expect(outcome(out, await queued(out).ended)).toEqual(outcome('local', local));
    await until(isEmpty);
  });

  it('goes on where a killed coordinator ended, with what workers finished meanwhile', async () => {
    const out = 'coordinator-killed';
    const coordinator = queued(out);
    await until(hasRows(out));
    await coordinator.signal('SIGKILL');
    await coordinator.ended;
    const left = async (name: string) => open.client!.llen(await key(name));
    await until(async () => (await left('wait')) + (await left('active')) === 0);
    await worker.signal('SIGINT');
    expect((await worker.ended).code).toBe(EXIT.interrupted);
    // Nobody works any more: what is missing lies in the queue.
    expect(await open.client!.zcard(await key('completed'))).toBeGreaterThan(0);
    expect(outcome(out, await queued(out).ended)).toEqual(outcome('local', local));
    await until(isEmpty);
  });

  it('lets go of a worker that is to end while the server is away, and goes on with another one', async () => {
    const out = 'worker-away';
    const coordinator = queued(out);
    worker = work();
    await until(hasRows(out));
    await open.redis!.kill();
    await worker.signal('SIGINT');
    const { code, stderr } = await worker.ended;
    expect({ code, stderr }).toMatchObject({ code: EXIT.interrupted });
    expect(stderr).toContain('is away');
    await open.redis!.start('kept');
    worker = work();
    expect(outcome(out, await coordinator.ended)).toEqual(outcome('local', local));
    await worker.signal('SIGINT');
    await worker.ended;
  });
});

describe.runIf(HAS_REDIS || GIVEN !== undefined)(`a worker${workerNote}`, () => {
  let url: string;

  beforeAll(async () => {
    if (GIVEN === undefined) open.redis = await startRedis();
    url = GIVEN ?? open.redis!.url;
    open.client = new Redis(url);
  });

  afterAll(async () => {
    open.client?.disconnect();
    if (GIVEN === undefined) await open.redis?.remove();
  });

  it('refuses a session that is another one at the worker, and goes on when that is mended', async () => {
    const own = join(folder, 'changing');
    const text = chatOf(2);
    const file = writeFile(own, 'chat.json', text);
    const grid = ['--vary', 'reserved=1k,3k', '--out', join(folder, 'changed')];
    const argv = ['sweep', own, ...grid, '--queue', url];
    const worker = ['sweep', 'worker', '--once', '--queue', url];
    const planned = call(argv);
    await until(async () => (await open.client!.llen(await key('wait'))) === 1);
    writeFileSync(file, chatOf(3));
    const worked = await call(worker);
    expect(worked.code).toBe(EXIT.done);
    expect(worked.stderr).toContain('the file does not hold what the sweep was planned with');
    const ended = await planned;
    expect(ended.code).toBe(EXIT.wrongUse);
    expect(ended.stderr).toContain('it does not have the session as the sweep was planned with it');
    writeFileSync(file, text);
    const again = call(argv);
    await until(async () => (await open.client!.llen(await key('wait'))) === 1);
    expect((await call(worker)).code).toBe(EXIT.done);
    expect((await again).code).toBe(EXIT.done);
  });

  it('loses no row to somebody who removes the folder of a sweep: the queue keeps it', async () => {
    const own = join(folder, 'removed');
    const chats = writeFile(folder, 'removed-chat.json', chatOf(2));
    const argv = ['sweep', chats, '--out', own, '--queue', url];
    const planned = call(argv);
    await until(async () => (await open.client!.llen(await key('wait'))) === 1);
    rmSync(own, { recursive: true });
    expect((await call(['sweep', 'worker', '--once', '--queue', url])).code).toBe(EXIT.done);
    const { code, stderr } = await planned;
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('but 1 were removed during the sweep; the same command');
    // Without a worker.
    expect((await call(argv)).code).toBe(EXIT.done);
  });

  it('goes between sweeps that others have in hand, and takes what waits behind the first', async () => {
    const stop = new AbortController();
    const start = (argv: readonly string[]) => {
      const io = { ...captureIo(), signal: stop.signal };
      return { io, ended: main(['--no-cache', ...argv, '--queue', url], io) };
    };
    const [one, other] = ['1k', '2k'].map((reserved) => {
      const set = ['--set', `reserved=${reserved}`, '--out', join(folder, reserved)];
      return start(['sweep', sessions, ...set]).ended;
    });
    const names = async () =>
      Object.keys(await open.client!.hgetall('compaction-bench:sweeps')).toSorted();
    await until(async () => {
      const put = (await names()).map((name) => open.client!.llen(listOf(name, 'wait')));
      return (await Promise.all(put)).join() === '6,6';
    });
    const [first, second] = (await names()) as [string, string];
    for (const name of [first, second]) {
      await open.client!.rename(listOf(name, 'wait'), listOf(name, 'active'));
    }
    const { io, ended } = start(['sweep', 'worker', '--jobs', '1']);
    const told = () => io.written.stderr.match(/Serving sweep '\w+' with 1 thread\./g) ?? [];
    await until(() => told().length === 2);
    await open.client!.rename(listOf(second, 'active'), listOf(second, 'wait'));
    expect(await Promise.race([one, other])).toBe(EXIT.done);
    expect(await names()).toEqual([first]);
    stop.abort();
    expect(await ended).toBe(EXIT.interrupted);
    expect(told()).toEqual([first, second].map((name) => `Serving sweep '${name}' with 1 thread.`));
    await Promise.all([one, other]);
    await open.client!.del(await open.client!.keys('compaction-bench:*'));
  });

  it('refuses a sweep of another version in a sentence', async () => {
    await open.client!.hset('compaction-bench:sweeps', 'other', '0.0.1');
    const io = captureIo();
    expect(await main(['sweep', 'worker', '--once', '--queue', url], io)).toBe(EXIT.wrongUse);
    await open.client!.hdel('compaction-bench:sweeps', 'other');
    expect(io.written.stderr).toContain("Sweep 'other' was planned by version '0.0.1'");
  });
});
