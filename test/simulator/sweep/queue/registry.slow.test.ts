import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readVersion } from '../../../../src/cli/package.ts';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { callMain } from '../../../support/command.ts';
import { openRedis } from '../../../support/open-redis.ts';
import { HAS_REDIS, redisNote } from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const LOOK_MS = 5;
const SWEEPS = 'compaction-bench:sweeps';
const CELLS = 'compaction-bench:cells';
/** Before those of all other sweeps. */
const NAME = '0000000000000000';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(2));

describe.runIf(HAS_REDIS)(`a sweep that is not what a sweep puts into a queue${redisNote}`, () => {
  const open = openRedis();

  afterEach(async () => {
    await open.client!.flushall();
  });

  const call = (...argv: readonly string[]) =>
    callMain(['--no-cache', ...argv, '--queue', open.redis!.url]);
  const work = () => call('sweep', 'worker', '--once', '--jobs', '1');

  /** Something with a task that waits. */
  async function put(name: string, cells: string | undefined): Promise<void> {
    await open.client!.hset(SWEEPS, name, readVersion());
    if (cells !== undefined) await open.client!.hset(CELLS, name, cells);
    await open.client!.lpush(`compaction-bench:${name}:wait`, 'task-one');
  }

  it.each<[string, string, string | undefined, string]>([
    ['its name', 'a:b', undefined, 'no sweep has such a name'],
    ['what it lacks', NAME, undefined, 'it has no cells'],
    ['cells that are no JSON', NAME, '[', 'its cells cannot be read'],
    ['cells of another form', NAME, '[{"id":"one"}]', 'its cells cannot be read'],
    [
      'a cell that is not what its id says',
      NAME,
      '[{"id":"one","summarizer":"x"}]',
      "it holds a cell that is not 'one'",
    ],
  ])('for %s is left alone, in a sentence, and others are served', async (_, name, cells, why) => {
    await put(name, cells);
    const sweeping = call('sweep', chat, '--out', join(createFolder(), 'out'));
    while ((await open.client!.hlen(SWEEPS)) < 2) await delay(LOOK_MS);
    const good = Object.keys(await open.client!.hgetall(SWEEPS)).find((one) => one !== name);
    while ((await open.client!.llen(`compaction-bench:${good}:wait`)) < 1) await delay(LOOK_MS);
    const { code, stderr } = await work();
    expect(code).toBe(EXIT.wrongUse);
    expect((await sweeping).code).toBe(EXIT.done);
    const told = stderr.split('\n').filter((line) => line.includes(`'${name}'`));
    expect(told).toEqual([
      expect.stringContaining(`Sweep '${name}' is left alone, because ${why}`),
      `Expected sweeps as 'sweep --queue' puts them there, got '${name}'.`,
    ]);
  });
});
