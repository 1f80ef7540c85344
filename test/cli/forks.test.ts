import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../support/command.ts';
import { createFolder } from '../support/session-files.ts';
import { worlds } from './worlds.ts';

const folder = createFolder();

await worlds['forks']?.(folder, async () => undefined);
const [resumed, fork] = [join(folder, 'resumed.jsonl'), join(folder, 'fork.jsonl')];

async function jsonOf(...argv: readonly string[]) {
  const { stdout } = await callMain([...argv, '--format', 'json']);
  return JSON.parse(stdout);
}

describe('sessions that were resumed and forked', () => {
  it.runIf(process.platform === 'linux')('are run from a pipe, which is read once', async () => {
    const pipe = pipeOf(fork, 'run');
    const { runs } = await jsonOf('run', pipe, resumed, '--policy', 'none');
    expect(runs.map((run: Record<string, string>) => run['state'])).toEqual([
      'completed',
      'completed',
    ]);
  });

  it.runIf(process.platform === 'linux')('are refused from a pipe by a sweep', async () => {
    const vary = ['--vary', 'protect=20k,40k', '--jobs', '1'];
    const pipe = makePipe('sweep');
    const reason = `Expected '${pipe}' to be a file, which can be read again, got a pipe or a device; save what it gives in a file.`;
    expect(await callMain(['sweep', pipe, ...vary])).toMatchObject({
      code: 2,
      stderr: `${reason}\n`,
    });
    const { unread } = await jsonOf('sweep', resumed, pipe, ...vary);
    expect(unread).toEqual([{ file: pipe, reason }]);
  });

  it.runIf(process.platform === 'linux')(
    'are told of where they cannot be read again',
    async () => {
      const pipe = pipeOf(fork, 'stats');
      const { code, stdout } = await callMain(['sessions', 'stats', pipe, resumed, '--details']);
      const reason = `Expected '${pipe}' to stay as it was while it was read; what it shares is counted twice.`;
      expect([code, stdout]).toEqual([1, expect.stringContaining(reason)]);
    },
  );
});

/** A pipe that gives what a file holds, once. */
function pipeOf(file: string, name: string): string {
  const pipe = makePipe(name);
  execFileSync('sh', ['-c', 'cat "$0" > "$1" &', file, pipe], { stdio: 'ignore' });
  return pipe;
}

/** A pipe that nobody writes to: one that waits for a reader would outlive the tests. */
function makePipe(name: string): string {
  const pipe = join(folder, `${name}.pipe`);
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  return pipe;
}
