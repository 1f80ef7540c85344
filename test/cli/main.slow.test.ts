import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
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

  it('ends with the exit code of its command', async () => {
    const argv = [bench.program, 'list', 'nothing'];
    await expect(execute(process.execPath, argv)).rejects.toMatchObject({
      code: EXIT.wrongUse,
      stderr: expect.stringMatching(/^Unknown list/),
    });
  });
});
