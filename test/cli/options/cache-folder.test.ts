import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countsFolder } from '../../../src/cli/options/cache-folder.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3, 400));
const COUNTS = `counts-unicode-${process.versions.unicode}`;

const run = (argv: readonly string[], env?: Readonly<Record<string, string>>) =>
  call(['run', chat, ...argv], env);

const call = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  callMain(argv, { env });

describe('countsFolder', () => {
  it.each<[what: string, cache: string | boolean | undefined, env: object, folder?: string]>([
    [
      'the home of caches',
      undefined,
      { XDG_CACHE_HOME: '/caches', HOME: '/home' },
      '/caches/compaction-bench',
    ],
    ['a home', undefined, { HOME: '/home' }, '/home/.cache/compaction-bench'],
    [
      'a relative home of caches',
      undefined,
      { XDG_CACHE_HOME: 'caches', HOME: '/home' },
      '/home/.cache/compaction-bench',
    ],
    [
      'an empty home of caches',
      undefined,
      { XDG_CACHE_HOME: '', HOME: '/home' },
      '/home/.cache/compaction-bench',
    ],
    ['no home', undefined, {}],
    ['the environment', undefined, { COMPACTION_BENCH_CACHE: '/mine', HOME: '/home' }, '/mine'],
    [
      'nothing in the environment',
      undefined,
      { COMPACTION_BENCH_CACHE: '', HOME: '/home' },
      '/home/.cache/compaction-bench',
    ],
    ['the command line', '/given', { COMPACTION_BENCH_CACHE: '/mine' }, '/given'],
    ['nobody who wants one', false, { COMPACTION_BENCH_CACHE: '/mine', HOME: '/home' }],
  ])('is that of %s', (_, cache, env, expected) => {
    const wanted = expected === undefined ? undefined : join(expected, COUNTS);
    expect(countsFolder({ cache }, { ...env })).toBe(wanted);
  });
});

describe('a cache', () => {
  it.each<[string, readonly string[]]>([
    ['sweep', [chat, '--vary', 'protect=1k,2k']],
    ['whatif', [chat, '--window', '16k,32k']],
    ['tune', [chat, '--vary', 'reserved=1k,2k', '--hold-out', '0']],
    ['compare', ['opencode-1.2.16', 'document-001', chat]],
  ])('is filled by %s, which reports the same with it', async (command, options) => {
    const cache = join(folder, `cache of ${command}`);
    const argv = [command, ...options];
    const bare = await call(['--no-cache', ...argv]);
    expect(existsSync(cache)).toBe(false);
    expect(await call(['--cache', cache, ...argv])).toEqual(bare);
    expect(readdirSync(join(cache, COUNTS))).toHaveLength(1);
  });
});

describe('run', () => {
  it('reports the same without a cache, when it fills one, and when it has one', async () => {
    const cache = join(folder, 'cache');
    const bare = await run(['--no-cache'], { COMPACTION_BENCH_CACHE: cache });
    expect(bare).toMatchObject({ code: EXIT.done, stderr: '' });
    expect(existsSync(cache)).toBe(false);
    expect(await run([], { COMPACTION_BENCH_CACHE: cache })).toEqual(bare);
    expect(existsSync(join(cache, COUNTS))).toBe(true);
    expect(await run(['--cache', cache])).toEqual(bare);
  });

  it('wants a folder', async () => {
    expect(await run(['--cache', chat])).toEqual({
      code: EXIT.wrongUse,
      stdout: '',
      stderr: `Expected the cache to be a folder, got the file '${chat}'.\n`,
    });
  });

  it('wants one that can be made, where it was named', async () => {
    const inFile = join(chat, 'cache');
    expect(await run(['--cache', inFile])).toEqual({
      code: EXIT.wrongUse,
      stdout: '',
      stderr: `Expected '--cache' to be a writable folder, got '${inFile}' inside a file.\n`,
    });
    expect(await run([], { COMPACTION_BENCH_CACHE: inFile })).toMatchObject({ code: EXIT.done });
  });

  it('tells of the cache in its help', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout).toMatch(/Global Options:[^]*--cache <folder>[^]*--no-cache/);
  });
});
