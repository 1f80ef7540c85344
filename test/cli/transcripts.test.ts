import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readVersion } from '../../src/cli/package.ts';
import { worlds } from './worlds.ts';
import type { CapturedIoOptions } from '../support/captured-io.ts';
import { callMain, type EndedCommand } from '../support/command.ts';
import { withOpenMakers } from '../support/makers.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

/**
 * Commands with what they print, by world: `npx vitest run --update test/cli/transcripts.test.ts` writes it anew. Below each
 * `# sentence` they run in a fresh copy of the world; `! ` begins a line of standard error, which is not shown of a terminal.
 * `a <> b` tells if two commands print the same.
 */
const GOLDEN = join(import.meta.dirname, '../fixtures/commands');
const CACHE = createFolder();
const WORDS = /'[^']*'|[^ ]+/g;

const HOME = process.cwd();
afterAll(() => process.chdir(HOME));

const names = Object.keys(worlds);
const folders = new Map(names.map((name) => [name, createFolder()]));
beforeAll(async () => {
  for (const [name, folder] of folders) {
    process.chdir(folder);
    await worlds[name]?.(folder, perform);
  }
});

it('each world has its commands', () => {
  expect(readdirSync(GOLDEN)).toEqual(names.toSorted().map((name) => `${name}.txt`));
});

it.each(names)('%s prints what it printed', async (name) => {
  const path = join(GOLDEN, `${name}.txt`);
  const told: string[] = [];
  for (const line of readFileSync(path, 'utf8').match(/^[#$] .*/gm) ?? []) {
    if (line.startsWith('#')) {
      const here = createFolder();
      cpSync(folders.get(name) ?? '', here, { recursive: true, verbatimSymlinks: true });
      process.chdir(here);
    }
    const printed = line.startsWith('#') ? '' : await perform(line.slice(2));
    told.push(`${line.startsWith('#') && told.length > 0 ? '\n' : ''}${line}\n${printed}`);
  }
  await expect(told.join('')).toMatchFileSnapshot(path);
});

/** What a line prints, with control characters and hashes of files in words. */
async function perform(line: string): Promise<string> {
  const [left = '', right] = line.split(' <> ');
  const first = await pipe(left);
  const ended =
    right === undefined
      ? first
      : { ...first, stdout: first.stdout === (await pipe(right)).stdout ? 'same' : 'other' };
  const errors = ended.stderr
    .trimEnd()
    .split('\n')
    .map((one) => `! ${one}\n`);
  const text = [
    ended.stdout === '' ? '' : `${ended.stdout.trimEnd()}\n`,
    ...(ended.stderr === '' ? [] : errors),
    ended.code === 0 ? '' : `exit ${ended.code}\n`,
  ].join('');
  return withOpenMakers(text)
    .replaceAll(`release ${readVersion()}`, 'release RELEASE')
    .replaceAll(/\b[0-9a-f]{16}\b/g, 'HASH')
    .replaceAll('\u001b', 'ESC');
}

async function pipe(line: string): Promise<EndedCommand> {
  const [command = '', ...filters] = line.split(' | ');
  const words = wordsOf(command);
  const at = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const env = Object.fromEntries(words.slice(0, at).map((word) => word.split('=', 2)));
  const ended = await run(words.slice(at), env);
  return filters.reduce((so, filter) => {
    const [name = '', ...given] = wordsOf(filter);
    const filtered = (text: string) => FILTERS[name]?.(text, given) ?? `no filter ${name}`;
    return so.stdout === ''
      ? { ...so, stderr: filtered(so.stderr) }
      : { ...so, stdout: filtered(so.stdout) };
  }, ended);
}

function wordsOf(line: string): readonly string[] {
  return (line.match(WORDS) ?? []).map((word) =>
    word.replaceAll("'", '').replaceAll('ESC', '\u001b'),
  );
}

const done = (stdout = ''): EndedCommand => ({ code: 0, stdout, stderr: '' });
const matching = (pattern = '') => new RegExp(pattern, 'm');

/** Commands about files, besides those of the program. */
async function run(words: readonly string[], env: Readonly<Record<string, string>>) {
  const [name = '', from = '', to = '', text = ''] = words;
  switch (name) {
    case 'cat':
      return done(readFileSync(from, 'utf8'));
    case 'ls':
      return done(existsSync(from) ? filesIn(from).join('\n') : 'nothing there');
    case 'rm':
      rmSync(from, { recursive: true });
      return done();
    case 'cp':
      mkdirSync(dirname(to), { recursive: true });
      cpSync(from, to, { recursive: true });
      return done();
    case 'put':
      writeFile(dirname(from), basename(from), to.replaceAll('\\n', '\n'));
      return done();
    case 'edit':
      writeFileSync(
        from,
        readFileSync(from, 'utf8').replace(matching(to), text.replaceAll('\\n', '\n')),
      );
      return done();
  }
  const { TTY, COLUMNS, STDIN, ABORTED, ...rest } = env;
  const options: CapturedIoOptions = {
    env: { COMPACTION_BENCH_CACHE: CACHE, ...rest },
    isTTY: TTY !== undefined,
    ...(COLUMNS !== undefined && { columns: Number(COLUMNS) }),
    ...(STDIN !== undefined && { stdin: readFileSync(STDIN, 'utf8') }),
    ...(ABORTED !== undefined && { signal: AbortSignal.abort() }),
  };
  const ended = await callMain(words, options);
  return { ...ended, stderr: TTY === undefined ? ended.stderr : '' };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

type Filter = (text: string, given: readonly string[]) => string;
const lines = (text: string) => text.trimEnd().split('\n');
const FILTERS: Readonly<Record<string, Filter>> = {
  into: (text, [file = '']) => {
    writeFileSync(file, text);
    return '';
  },
  head: (text, [count]) => lines(text).slice(0, Number(count)).join('\n'),
  tail: (text, [count]) => lines(text).slice(-Number(count)).join('\n'),
  cut: (text, [width]) =>
    lines(text)
      .map((line) => line.slice(0, Number(width)))
      .join('\n'),
  grep: (text, [pattern]) =>
    lines(text)
      .filter((line) => matching(pattern).test(line))
      .join('\n'),
  match: (text, [pattern]) => (text.match(new RegExp(pattern ?? '', 'gm')) ?? []).join('\n'),
  count: (text, [pattern]) =>
    lines(text)
      .map((line) => (line.match(new RegExp(pattern ?? '', 'g')) ?? []).length)
      .join('\n'),
  json: (text, paths) => paths.map((path) => `${path}: ${valueAt(text, path)}`).join('\n'),
};

/** The value at `a.0.b` of a document; of `a.KEYS` its keys, of `a.*.b` those of a list. */
function valueAt(text: string, path: string): string {
  const at = (value: unknown, names: readonly string[]): unknown => {
    const [name, ...rest] = names;
    if (name === undefined || value === undefined || value === null) return value;
    if (name === 'KEYS') return Object.keys(value);
    if (name === '*') return (value as unknown[]).map((one) => at(one, rest));
    return at((value as Record<string, unknown>)[name], rest);
  };
  return JSON.stringify(at(JSON.parse(text), path.split('.'))) ?? 'absent';
}
