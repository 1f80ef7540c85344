import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../src/cli/process/io.ts';
import { loadPackages } from '../../../../src/simulator/sweep/queue/packages.ts';
import { callMain } from '../../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../../support/session-files.ts';

const folder = createFolder();
const sessions = join(folder, 'sessions');
writeFile(sessions, 'chat.json', chatOf(2));

const call = (argv: readonly string[]) => callMain(['--no-cache', ...argv]);

describe('a queue', () => {
  it.each<[string, readonly string[], string]>([
    ['no address', ['worker', '--queue', 'localhost'], 'like redis://HOST:PORT'],
    [
      'an address of something else',
      ['worker', '--queue', 'http://u:secret@host'],
      'like redis://',
    ],
    ['no host', ['worker', '--queue', 'redis://'], 'like redis://HOST:PORT'],
    ['no number of a database', ['worker', '--queue', 'redis://u:secret@h/x'], 'like redis://HOST'],
    ['a bare % in a password', ['worker', '--queue', 'redis://:pa%secret@h'], 'is written %25'],
    ['a bare % in a name', ['worker', '--queue', 'redis://%zz:secret@h'], 'is written %25'],
    ['bytes that are no text', ['worker', '--queue', 'redis://:secret%ff@h'], 'is written %25'],
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
    ['half a password', ['worker', '--queue', 'redis://u:1#secret@h'], "without '?' and '#'"],
    [
      'a server that is not there',
      ['worker', '--queue', 'redis://u:secret@127.0.0.1:1'],
      "at '127.0.0.1:1'",
    ],
    ['no time for a lock', ['worker', '--queue', 'redis://h', '--lock-seconds', '0'], 'from 1 to'],
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
    const argv = ['sweep', sessions, '--queue', 'redis://127.0.0.1:1', '--out', out];
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
