import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { EXIT } from '../../src/cli/process/io.ts';
import { callMain } from '../support/command.ts';

const ROOT = join(import.meta.dirname, '../..');

const call = (...argv: readonly string[]) => callMain(argv);

describe('main', () => {
  it.each([
    ['--help'],
    ['run', '--help'],
    ['list', '--help'],
    ['help'],
    ['help', 'help'],
    ['help', 'run'],
    ['help', 'sweep', 'merge'],
  ])('helps with %s %s', async (...argv) => {
    const { code, stdout, stderr } = await call(...argv.filter((one) => one !== undefined));
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout).toMatch(/^Usage: compaction-bench[^]*\nExamples:\n {2}\$ compaction-bench /);
  });

  it.each(['', ...Object.keys(commands)])('shows at most 15 options for "%s -h"', async (name) => {
    const argv = name.split(' ').filter((word) => word !== '');
    const short = await call(...argv, '-h');
    expect(short).toMatchObject({ code: EXIT.done, stderr: '' });
    const optionsIn = (text: string) => text.match(/^ {2}-\S.*/gm) ?? [];
    expect(optionsIn(short.stdout).length).toBeLessThanOrEqual(15);
    expect(short.stdout).toMatch(/^Usage: compaction-bench[^]*\n--help shows all options\.\n$/);
    const { stdout } = await call(...argv, '--help');
    expect(stdout).not.toContain('--help shows all');
    const long = optionsIn(stdout).map((line) => line.split(/ {2,}/)[1]);
    expect(long).toEqual(
      expect.arrayContaining(optionsIn(short.stdout).map((line) => line.split(/ {2,}/)[1])),
    );
  });

  it('shows with -h the options that have to be given', async () => {
    const { stdout } = await call('sweep', 'worker', '-h');
    expect(stdout).toContain('--queue <url>');
  });

  it.each<[object, number, number]>([
    [{ isTTY: true, columns: 70 }, 60, 70],
    [{ isTTY: true, columns: 0 }, 90, 100],
    [{ columns: 60 }, 90, 100],
  ])('fits its help into a terminal: %o', async (terminal, least, most) => {
    const { stdout } = await callMain(['run', '--help'], terminal);
    const [help = ''] = stdout.split('\nExamples:');
    const widths = help.split('\n').map((line) => line.length);
    expect(Math.max(...widths)).toBeGreaterThan(least);
    expect(Math.max(...widths)).toBeLessThanOrEqual(most);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await call('--version')).toEqual({
      code: EXIT.done,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it.each<[string, readonly string[], RegExp]>([
    ['an unknown command', ['rn'], /^Unknown command 'rn'; nearest: run, /],
    ['the end of a name', ['import'], /^Unknown command 'import'; nearest: sessions import, /],
    ['a slip below', ['sessions', 'imprt'], /'sessions imprt'; nearest: sessions import, /],
    [
      'a cache without a place',
      ['sweep', 'worker', '--cache'],
      /^error: option '--cache <folder>' argument missing/,
    ],
    [
      'the lack of what a command below needs',
      ['-q', '--cache', 'list', 'sweep', 'worker'],
      /^error: required option '--queue <url>'/,
    ],
    [
      'a slip below a command',
      ['check', 'mrge'],
      /^Unknown command 'check mrge'; nearest: check merge, /,
    ],
    ['no command below', ['sessions'], /^Usage: compaction-bench sessions /],
    [
      'a name behind options',
      ['sweep', '--jobs', '2', 'worker', '--once'],
      /^Expected 'sweep worker' before all/,
    ],
    [
      'help with an unknown command',
      ['help', 'rnu'],
      /^Unknown command 'rnu'; nearest: run, [^\n]*\n$/,
    ],
    ['an unknown option', ['--nothing'], /unknown option '--nothing'/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await call(...argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each<[readonly string[], RegExp]>([
    [['run'], /got nothing at that path/],
    [['check'], /got nothing at that path/],
    [['report'], /'.*' to be a readable file, got a path inside a file/],
    [['sweep', 'merge'], /to be a shard of a sweep, got nothing at that path/],
    [['sweep', 'export', '--out', 'rows.csv'], /to be results of 'sweep --out', got nothing there/],
    [
      ['sessions', 'generate', 'pi', '--out'],
      /Expected '--out' to be a writable folder, .* inside a file/,
    ],
    [
      ['sessions', 'generate', 'pi', '--report'],
      /Expected '--report' to be a writable file, .* inside a file/,
    ],
    [['check', '--bless', '--reason', 'why', '--baseline'], /the baseline .* inside a file/],
    [['check', '--config'], /to be a configuration, got a path inside a file/],
  ])('tells %j in words of a path inside a file', async (argv, message) => {
    const { code, stderr } = await call(...argv, join(import.meta.filename, 'below'));
    expect(code).not.toBe(EXIT.failed);
    expect(stderr).toMatch(message);
  });

  it('repeats nothing that a terminal obeys', async () => {
    const { stderr } = await call('run', '--\u001b[2J\u009b31m');
    expect(stderr).toContain('\\u001b[2J\\u009b31m');
    expect(stderr).not.toContain('\u001b');
  });
});
