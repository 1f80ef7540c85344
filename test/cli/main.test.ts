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

  it('repeats nothing that a terminal obeys', async () => {
    const { stderr } = await call('run', '--\u001b[2J\u009b31m');
    expect(stderr).toContain('\\u001b[2J\\u009b31m');
    expect(stderr).not.toContain('\u001b');
  });
});
