import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { createFolder } from '../support/session-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'src/cli/main.ts');
const execute = promisify(execFile);

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
