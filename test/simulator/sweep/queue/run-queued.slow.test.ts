import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readVersion } from '../../../../src/cli/package.ts';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { buildPackage, type BuiltPackage, type Ended } from '../../../support/built-package.ts';
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
for (const [index, words] of [100, 200, 300, 400, 500, 600].entries())
  writeFile(sessions, `chat-${index}.json`, chatOf(40, words));
const SIZES = ['--summarizer', 'scripted:usual'];
const GRID = `--set contextTokens=16k --vary reserved=1k,3k --policy document-001 ${SIZES.join(' ')} --format json`;
const QUEUE = `compaction-bench:tasks-${readVersion()}`;
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
  run(`--no-cache sweep worker --queue ${open.redis!.url} --jobs 1 --lock-seconds 3 ${rest}`);
const call = (argv: readonly string[]) => callMain(['--no-cache', ...argv]);

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}

const hasRows = (out: string) => () =>
  (statSync(join(folder, out, 'results.jsonl'), { throwIfNoEntry: false })?.size ?? 0) > 0;
const bytes = (out: string) => FILES.map((name) => readFileSync(join(folder, out, name), 'utf8'));
const outcome = (out: string, ended: Ended) => ({ ...ended, stderr: '', files: bytes(out) });
const key = (name: string) => `${QUEUE}:${name}`;
/** Nothing is left but what a worker that waits says of itself. */
const isEmpty = async () => {
  const left = await open.client!.keys('*');
  return left.every((name) => /:(?:meta|marker|stalled-check)$/.test(name));
};

/** Stops a worker while a task is in its hands. */
async function stopInHand(worker: Running): Promise<void> {
  for (;;) {
    await until(async () => (await open.client!.llen(key('active'))) > 0);
    await worker.signal('SIGSTOP');
    if ((await open.client!.llen(key('active'))) > 0) return;
    await worker.signal('SIGCONT');
  }
}

const workerNote = GIVEN === undefined ? redisNote : '';

describe.runIf(HAS_REDIS)(`a sweep in a queue${redisNote}`, () => {
  let undisturbed: Ended;

  /** Takes over from one test to the next, for it starts no faster than the rest of a test runs. */
  let worker: Running;

  beforeAll(async () => {
    open.built = buildPackage();
    open.redis = await startRedis();
    open.client = new Redis(open.redis.url, { maxRetriesPerRequest: null });
    open.client.on('error', () => undefined);
    worker = work();
    undisturbed = await queued('undisturbed').ended;
  });

  afterAll(async () => {
    open.client?.disconnect();
    await open.redis?.remove();
    open.built?.remove();
  });

  afterEach(async () => {
    await open.client!.flushall();
  });

  it('comes to the same bytes with several workers', async () => {
    expect(undisturbed.code).toBe(EXIT.done);
    const other = work();
    expect(outcome('plain', await queued('plain').ended)).toEqual(
      outcome('undisturbed', undisturbed),
    );
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
      expect(outcome(out, await coordinator.ended)).toEqual(outcome('undisturbed', undisturbed));
      await until(isEmpty);
    },
  );

  it('gives the task of a worker that was killed to another one', async () => {
    const coordinator = queued('worker-killed');
    await stopInHand(worker);
    await worker.signal('SIGKILL');
    worker = work();
    expect(outcome('worker-killed', await coordinator.ended)).toEqual(
      outcome('undisturbed', undisturbed),
    );
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
    expect(outcome(out, await queued(out).ended)).toEqual(outcome('undisturbed', undisturbed));
    await until(isEmpty);
  });

  it('goes on where a killed coordinator ended', async () => {
    const out = 'coordinator-killed';
    const coordinator = queued(out);
    await until(hasRows(out));
    await coordinator.signal('SIGKILL');
    await coordinator.ended;
    expect(outcome(out, await queued(out).ended)).toEqual(outcome('undisturbed', undisturbed));
    await until(isEmpty);
  });

  it('takes what workers finished after a coordinator was killed', async () => {
    const out = 'coordinator-gone';
    await worker.signal('SIGINT');
    await worker.ended;
    const coordinator = queued(out);
    await until(async () => (await open.client!.llen(key('wait'))) === 6);
    await coordinator.signal('SIGKILL');
    await coordinator.ended;
    worker = work();
    await until(async () => (await open.client!.zcard(key('completed'))) === 6);
    await worker.signal('SIGINT');
    expect((await worker.ended).code).toBe(EXIT.interrupted);
    // Nobody works any more: what is missing lies in the queue.
    expect(outcome(out, await queued(out).ended)).toEqual(outcome('undisturbed', undisturbed));
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
    expect(outcome(out, await coordinator.ended)).toEqual(outcome('undisturbed', undisturbed));
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

  const isPut = async () => (await open.client!.llen(key('wait'))) === 1;
  const work = ['sweep', 'worker', '--once', '--queue'];

  it('needs no file of a session, and is sent no text of one', async () => {
    const file = writeFile(join(folder, 'secret'), 'chat.json', chatOf(2, 300));
    const planned = call(['sweep', file, ...SIZES, '--out', join(folder, 'sent'), '--queue', url]);
    await until(isPut);
    rmSync(file);
    const [id] = await open.client!.lrange(key('wait'), 0, 0);
    const { packed } = JSON.parse((await open.client!.hget(key(id!), 'data')) ?? '');
    const sent = gunzipSync(Buffer.from(packed, 'base64')).toString('latin1');
    const [, said] = JSON.parse(chatOf(2, 300));
    expect(sent).not.toContain(said.content.slice(0, 20));
    expect((await call([...work, url])).code).toBe(EXIT.done);
    expect((await planned).code).toBe(EXIT.done);
  });

  it.each([
    ['something else', 'AAAA'],
    ['one of more than 256 MB', gzipSync(Buffer.alloc(2 ** 28 + 1)).toString('base64')],
  ])('makes the rows of a task that is %s failed ones', async (got, packed) => {
    const file = writeFile(folder, 'broken.json', chatOf(2));
    const out = join(folder, got);
    const planned = call(['sweep', file, ...SIZES, '--out', out, '--queue', url]);
    await until(isPut);
    const [id] = await open.client!.lrange(key('wait'), 0, 0);
    await open.client!.hset(key(id!), 'data', JSON.stringify({ packed }));
    const worked = await call([...work, url]);
    expect(worked.stderr).toContain(`A task failed: Expected a task of a sweep, got ${got}.`);
    expect((await planned).code).toBe(EXIT.failed);
    const rows = readFileSync(join(out, 'results.jsonl'), 'utf8');
    expect(rows).toContain('"state":"failed","reason":"the worker broke"');
  });

  it('loses no row to somebody who removes the folder of a sweep: the queue keeps it', async () => {
    const own = join(folder, 'removed');
    const chats = writeFile(folder, 'removed-chat.json', chatOf(2));
    const argv = ['sweep', chats, ...SIZES, '--out', own, '--queue', url];
    const planned = call(argv);
    await until(isPut);
    rmSync(own, { recursive: true });
    expect((await call([...work, url])).code).toBe(EXIT.done);
    const { code, stderr } = await planned;
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('but 1 were removed during the sweep; the same command');
    // Without a worker.
    expect((await call(argv)).code).toBe(EXIT.done);
  });

  it('serves two sweeps at once', async () => {
    const sweeps = ['1k', '2k'].map((reserved) => {
      const set = ['--set', `reserved=${reserved}`, '--out', join(folder, reserved)];
      return call(['sweep', sessions, ...SIZES, ...set, '--queue', url]);
    });
    await until(async () => (await open.client!.llen(key('wait'))) === 12);
    expect((await call([...work, url])).code).toBe(EXIT.done);
    expect((await Promise.all(sweeps)).map(({ code }) => code)).toEqual([EXIT.done, EXIT.done]);
  });

  it('comes to the same bytes as without a queue', async () => {
    const argv = ['sweep', sessions, ...SIZES, '--set', 'reserved=1k', '--out'];
    expect((await call([...argv, join(folder, 'here')])).code).toBe(EXIT.done);
    expect(bytes('here')).toEqual(bytes('1k'));
  });
});
