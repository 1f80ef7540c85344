import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FULL_DEVICE = '/dev/full';
const execute = promisify(execFile);

/** The command at the start of a line for a shell, which tells its exit code at the end of what it says. */
async function callIn(shell: string): Promise<string> {
  const command = `{ node --import tsx src/cli/main.ts list models; echo "code $?" >&2; }`;
  const { stderr } = await execute('sh', ['-c', `${command} ${shell}`], { cwd: ROOT });
  return stderr;
}

describe('standard output', () => {
  it('may be left by who reads it', async () => {
    expect(await callIn('| head -1')).toBe(`code ${EXIT.done}\n`);
  });

  it.skipIf(!existsSync(FULL_DEVICE))(
    `is told in a sentence where it takes no more (skipped without ${FULL_DEVICE})`,
    async () => {
      expect(await callIn(`> ${FULL_DEVICE}`)).toBe(
        `Expected to write to standard output, got 'ENOSPC: no space left on device, write'.\ncode ${EXIT.failed}\n`,
      );
    },
  );
});
