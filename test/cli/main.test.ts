import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { callMain } from '../support/command.ts';

const ROOT = join(import.meta.dirname, '../..');

const call = (...argv: readonly string[]) => callMain(argv);

describe('main', () => {
  it.each([['--help'], ['run', '--help'], ['list', '--help'], ['help'], ['help', 'run']])(
    'helps with %s %s',
    async (...argv) => {
      const { code, stdout, stderr } = await call(...argv.filter((one) => one !== undefined));
      expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
      expect(stdout).toMatch(/^Usage: compaction-bench[^]*\nExamples:\n {2}\$ compaction-bench /);
    },
  );

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
    ['an unknown command', ['rn'], /unknown command 'rn'\n\(Did you mean run\?\)/],
    [
      'help with an unknown command',
      ['help', 'rnu'],
      /^Unknown command 'rnu'\. Nearest: run, [^\n]*\n$/,
    ],
    ['help with the help', ['help', 'help'], /^Usage: compaction-bench/],
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
    [['merge'], /to be a shard of a sweep or of a check, got nothing at that path/],
    [['export', '--out', 'rows.csv'], /to be results of 'sweep --out', got nothing there/],
    [['generate', 'pi', '--out'], /Expected '--out' to be a writable folder, .* inside a file/],
    [['generate', 'pi', '--report'], /Expected '--report' to be a writable file, .* inside a file/],
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
