import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runApart } from '../../bench/support/run-apart.ts';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-apart-'));
const file = join(folder, 'suite.mjs');

afterAll(() => rmSync(folder, { recursive: true }));

function run(source: string, ...args: readonly string[]) {
  writeFileSync(file, source);
  return runApart(pathToFileURL(file), args);
}

describe('runApart', () => {
  it('gives what a module sends from a process of its own', async () => {
    const source = `
      const figure = { name: process.argv[2], value: process.pid, unit: 'l' };
      process.send({ notes: [], figures: [figure] });
      process.disconnect();`;
    const { figures } = await run(source, 'kettle');
    expect(figures).toMatchObject([{ name: 'kettle', unit: 'l' }]);
    expect(figures[0]?.value).not.toBe(process.pid);
  });

  it('takes what is no number for what it is', async () => {
    const source = `process.send({ notes: [], figures: [{ value: NaN }] }); process.disconnect();`;
    const { figures } = await run(source);
    expect(figures[0]?.value).toBeNaN();
  });

  it.each([
    ['an exit code', 'process.exit(3);', 'exit code 3'],
    ['a signal', `process.kill(process.pid, 'SIGKILL');`, 'SIGKILL'],
    ['nothing sent', 'process.disconnect();', 'exit code 0'],
  ])('names the suite that ends with %s', async (_, source, got) => {
    await expect(run(source, 'cup', '5')).rejects.toThrow(`Expected figures of cup 5, got ${got}.`);
  });
});
