import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkOutFolder,
  countsFolder,
  openOutFolder,
} from '../../../src/cli/process/out-folder.ts';
import { openStore } from '../../../src/simulator/sweep/store/result-store.ts';
import { HEADER } from '../../simulator/sweep/store/sample-rows.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

describe('checkOutFolder', () => {
  const folder = createFolder();
  symlinkSync(join(folder, 'nowhere'), join(folder, 'astray'));

  it.each([
    ['a link to nothing', 'astray', 'which is not one.'],
    ['a folder below such a link', 'astray/out', 'inside a file.'],
    ['a name that is too long', 'x'.repeat(300), 'a name that is too long'],
    ['a new folder with the name of a file', 'results.csv', "results.csv', which is named like a"],
    ['such a name in capitals', 'RESULTS.JSON', 'which is named like a file.'],
  ])('refuses %s', (_, name, message) => {
    const check = () => checkOutFolder(join(folder, name));
    expect(check).toThrow("Expected '--out' to be a writable folder, got ");
    expect(check).toThrow(message);
  });

  it.each(['results', 'opencode-1.2.16', 'json', '.csv.d'])('takes %s for a name', (name) => {
    expect(() => checkOutFolder(join(folder, name))).not.toThrow();
  });

  it('takes a folder that is there, whatever its name', () => {
    mkdirSync(join(folder, 'old.csv'));
    expect(() => checkOutFolder(join(folder, 'old.csv'))).not.toThrow();
  });

  it('takes a link to a folder', () => {
    symlinkSync(folder, join(folder, 'itself'));
    expect(() => checkOutFolder(join(folder, 'itself'))).not.toThrow();
  });
});

describe('openOutFolder', () => {
  it('takes back what it began, for it would stand in the way of another sweep', () => {
    const [absent, used] = [join(createFolder(), 'absent'), createFolder()];
    writeFileSync(join(used, 'notes.md'), 'mine');
    for (const folder of [absent, used]) {
      const out = openOutFolder(folder);
      begin(folder, '');
      out.takeBack();
    }
    expect(existsSync(absent)).toBe(false);
    expect(readdirSync(used)).toEqual(['notes.md']);
  });

  it('takes back nothing that an earlier command began', () => {
    const folder = createFolder();
    begin(folder, '');
    openOutFolder(folder).takeBack();
    expect(readdirSync(folder)).toEqual(['results.jsonl', 'sweep.json']);
  });

  it('takes back nothing that it did not write, also of a folder that it made', () => {
    const folder = join(createFolder(), 'absent');
    const out = openOutFolder(folder);
    begin(folder, '');
    out.hold();
    writeFile(folder, 'cassette/answer.json', '{}');
    out.takeBack();
    expect(readdirSync(folder)).toEqual(['cassette']);
  });

  it('takes back nothing that another process has gone on with', () => {
    const folder = join(createFolder(), 'shared');
    const header = HEADER;
    const first = openOutFolder(folder);
    openStore(folder, header).close();
    first.hold();
    const second = openOutFolder(folder);
    openStore(folder, header).close();
    second.hold();
    first.takeBack();
    expect(readdirSync(folder)).toEqual(['results.jsonl', 'sweep.json']);
    second.takeBack();
    expect(readdirSync(folder)).toEqual(['results.jsonl', 'sweep.json']);
  });

  it('takes back no rows, of which another process may have written some meanwhile', () => {
    const folder = join(createFolder(), 'shared');
    const out = openOutFolder(folder);
    begin(folder, 'row\n');
    out.takeBack();
    expect(readdirSync(folder)).toEqual(['results.jsonl', 'sweep.json']);
  });
});

function begin(folder: string, rows: string): void {
  writeFile(folder, 'sweep.json', '{}');
  writeFile(folder, 'results.jsonl', rows);
}

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3, 400));
const COUNTS = `counts-unicode-${process.versions.unicode}`;
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
    ['tune', [chat, '--vary', 'reserved=1k,2k', '--hold-out', '0']],
  ])('is filled by %s, which reports the same with it', async (command, options) => {
    const cache = join(folder, `cache of ${command}`);
    const argv = [command, ...options];
    const bare = await call(['--no-cache', ...argv]);
    expect(existsSync(cache)).toBe(false);
    expect(await call(['--cache', cache, ...argv])).toEqual(bare);
    expect(readdirSync(join(cache, COUNTS))).toContain('traces');
  });
});
