import { afterAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../support/built-package.ts';

const bench = buildPackage();
afterAll(() => bench.remove());

/** What a shell is told; the library writes to the process itself. */
async function complete(...argv: readonly string[]): Promise<string> {
  const { stdout } = await bench.runShell(`npx compaction-bench complete ${argv.join(' ')}`);
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
