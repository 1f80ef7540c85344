import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { main } from '../../../../src/cli/main.ts';
import { captureIo } from '../../../support/captured-io.ts';
import { callMain } from '../../../support/command.ts';
import { openRedis } from '../../../support/open-redis.ts';
import { HAS_REDIS, redisNote } from '../../../support/redis-server.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const LOOK_MS = 5;
const REFUSED =
  /^Expected the queue at '[^']*' to carry out its commands, got 'OOM .*'maxmemory'\.'\./;

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const words of [100, 200]) writeFile(sessions, `chat-${words}.json`, chatOf(2, words));

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(LOOK_MS);
}

describe.runIf(HAS_REDIS)(`a server without room for what workers did${redisNote}`, () => {
  const open = openRedis();

  const call = (...argv: readonly string[]) =>
    callMain(['--no-cache', ...argv, '--queue', open.redis!.url]);
  const sweep = () => call('sweep', sessions, '--out', join(folder, 'out'));
  const setRoom = (bytes: string) => open.client!.config('SET', 'maxmemory', bytes);
  const isPut = async () => {
    const [name] = Object.keys(await open.client!.hgetall('compaction-bench:sweeps'));
    return (await open.client!.llen(`compaction-bench:${name}:wait`)) === 2;
  };

  it('is told of by sweep and worker, and the same command goes on when there is some', async () => {
    const planned = sweep();
    await until(isPut);
    await setRoom('1');
    const stop = new AbortController();
    const io = { ...captureIo(), signal: stop.signal };
    const argv = ['--no-cache', 'worker', '--jobs', '1', '--queue', open.redis!.url];
    const serving = main(argv, io);
    const { code, stderr } = await planned;
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(REFUSED);
    await until(() => io.written.stderr.includes('Waiting for it.'));
    await setRoom('0');
    stop.abort();
    expect(await serving).toBe(EXIT.interrupted);
    const [, ...told] = io.written.stderr.trim().split('\n');
    expect(told).toEqual([expect.stringMatching(REFUSED), 'Interrupted.']);
    const again = sweep();
    expect((await call('worker', '--once')).code).toBe(EXIT.done);
    expect((await again).code).toBe(EXIT.done);
    expect(await open.client!.keys('*')).toEqual([]);
  });
});
