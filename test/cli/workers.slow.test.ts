import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { buildPackage } from '../support/built-package.ts';
import { createFolder, fixture, writeFile } from '../support/session-files.ts';

const bench = buildPackage();
afterAll(() => bench.remove());

const folder = createFolder();
for (const name of ['claude-code.jsonl', 'pi.jsonl']) writeFile(folder, name, fixture(name));

/** Loaded into each thread: throws at a message that says `BREAKS_AT`. */
const BREAKER = writeFile(
  createFolder(),
  'breaker.cjs',
  `const { isMainThread, parentPort } = require('node:worker_threads');
  if (!isMainThread && parentPort) {
    const on = parentPort.on.bind(parentPort);
    parentPort.on = (name, listener) => on(name, (message) => {
      if (JSON.stringify(message ?? '').includes(process.env.BREAKS_AT)) throw new Error('broken here');
      return listener(message);
    });
  }`,
);

/** How the built program ends. */
function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: bench.folder, env: { ...process.env, ...env } };
    execFile(process.execPath, [bench.program, ...argv], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? EXIT.done : error.code, stdout, stderr }),
    );
  });
}

const breaking = (BREAKS_AT: string) => ({ NODE_OPTIONS: `--require ${BREAKER}`, BREAKS_AT });

describe('a worker that breaks', () => {
  const sweep = ['sweep', folder, '--policy', 'none,opencode-1.2.16', '--format', 'csv'];
  const failedRows = (text: string) =>
    text.split('\n').filter((line) => line.includes('failed,the worker broke: broken here'));

  it.each<[string, string, number]>([
    ['at a task costs the rows of the task', 'pi.jsonl', 3],
    ['at every task costs all rows', '"type":"task"', 6],
    ['before its first task costs all rows where all do', '"type":"cells"', 6],
  ])('%s', async (_, place, rows) => {
    const ended = await run([...sweep, '--jobs', '2'], breaking(place));
    expect(failedRows(ended.stdout)).toHaveLength(rows);
    expect(ended).toMatchObject({
      code: EXIT.failed,
      stderr: expect.not.stringMatching(/^ +at /m),
    });
  });

  it('at a file leaves out the file', async () => {
    const argv = [folder, '--jobs', '2', '--format', 'json'];
    const { stdout, stderr } = await run(argv, breaking('pi.jsonl'));
    const file = join(folder, 'pi.jsonl');
    expect(JSON.parse(stdout).leftOut.unread).toEqual([
      { file, reason: `Expected to read '${file}', but the worker broke: broken here` },
    ]);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
