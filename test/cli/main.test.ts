import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { callMain } from '../support/command.ts';
import { createFolder } from '../support/session-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'src/cli/main.ts');
const execute = promisify(execFile);

const call = (...argv: readonly string[]) => callMain(argv);

describe('main', () => {
  it.each([['--help'], ['run', '--help'], ['list', '--help'], ['help', 'run']])(
    'helps with %s %s',
    async (...argv) => {
      const { code, stdout, stderr } = await call(...argv.filter((one) => one !== undefined));
      expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
      expect(stdout).toMatch(/^Usage: compaction-bench[^]*\nExamples:\n {2}\$ compaction-bench /);
    },
  );

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await call('--version')).toEqual({
      code: EXIT.done,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it.each<[string, readonly string[], RegExp]>([
    ['nothing', [], /^Usage: compaction-bench/],
    ['an unknown command', ['rn'], /unknown command 'rn'\n\(Did you mean run\?\)/],
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

describe('the program', () => {
  it('runs by a link, as npm makes one', async () => {
    const link = join(createFolder(), 'compaction-bench');
    symlinkSync(ENTRY, link);
    const { stdout } = await execute(
      process.execPath,
      ['--import', 'tsx', link, 'list', 'formats'],
      { cwd: ROOT },
    );
    expect(stdout).toMatch(/^table /);
  });

  it('ends with the exit code of its command', async () => {
    const argv = ['--import', 'tsx', ENTRY, 'list', 'nothing'];
    await expect(execute(process.execPath, argv, { cwd: ROOT })).rejects.toMatchObject({
      code: EXIT.wrongUse,
      stderr: expect.stringMatching(/^Unknown list/),
    });
  });
});
