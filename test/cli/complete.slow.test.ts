import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What a shell is told; the library writes to the process itself. */
async function complete(...argv: readonly string[]): Promise<string> {
  const command = ['--import', 'tsx', 'src/cli/main.ts', 'complete', ...argv];
  const { stdout } = await run(process.execPath, command, { cwd: ROOT, encoding: 'utf8' });
  return stdout;
}

describe('complete', () => {
  it('knows commands and the options of each', async () => {
    expect(await complete('--', 'swe')).toMatch(/^sweep\t/);
    expect(await complete('--', 'check', '--bas')).toMatch(/^--baseline\t[^]*\n:4\n$/);
  });

  it('prints a script for a shell', async () => {
    expect(await complete('bash')).toMatch(
      /^complete -o default -F __compaction_bench_complete compaction-bench$/m,
    );
  });

  it('leaves file names to the shell where nothing else fits', async () => {
    expect(await complete('--', 'bash')).toBe(':0\n');
  });
});
