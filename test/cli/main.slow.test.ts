import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../support/built-package.ts';
import { createFolder } from '../support/session-files.ts';

const bench = buildPackage();
afterAll(() => bench.remove());
const execute = promisify(execFile);

describe('the program', () => {
  it('runs by a link, as npm makes one', async () => {
    const link = join(createFolder(), 'compaction-bench');
    symlinkSync(bench.program, link);
    const { stdout } = await execute(process.execPath, [link, 'list', 'formats']);
    expect(stdout).toMatch(/^table /);
  });

  it.each([
    ['needs no temporary folder', [], /^table /],
    [
      'tells an error that nobody awaits in a sentence',
      [
        '--import',
        'data:text/javascript,process.stdout.write=()=>{Promise.reject(new Error(`injected`));return!0}',
      ],
      /^Expected no fault .*'Error: injected'; COMPACTION_BENCH_STACK=1 shows where\.\n$/,
    ],
  ])('%s', async (_, flags, told) => {
    const argv = [...flags, bench.program, 'list', 'formats'];
    const env = { ...process.env, TMPDIR: '/none' };
    const { stdout, stderr } = await execute(process.execPath, argv, { env }).catch(
      (error) => error,
    );
    expect(flags.length === 0 ? stdout : stderr).toMatch(told);
  });
});
