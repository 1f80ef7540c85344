import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { buildPackage } from '../../support/built-package.ts';

const FULL_DEVICE = '/dev/full';
const bench = buildPackage();
afterAll(() => bench.remove());

/** The command at the start of a line for a shell, which tells its exit code at the end of what it says. */
async function callIn(shell: string): Promise<string> {
  const command = `{ npx compaction-bench list models; echo "code $?" >&2; }`;
  const { stderr } = await bench.runShell(`${command} ${shell}`);
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
