import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../simulator/session/formats/claude-code-lines.ts';
import { callMain } from '../support/command.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const folder = createFolder();

const beginning = [
  prompt('The kettle rings too late.'),
  step('m1', call('c1')),
  result('c1', 'late '.repeat(80)),
  step('m2', call('c2', 'Edit')),
  result('c2', 'changed'),
  step('m3', say('Found it.')),
];

/** A transcript of another session, whose first lines are those of the one that it was made from. */
const recorded = (name: string, ...own: readonly Line[]) => {
  const text = transcript(...beginning, ...own);
  return writeFile(folder, `${name}.jsonl`, text.replaceAll('"kettle"', JSON.stringify(name)));
};

const resumed = recorded(
  'resumed',
  prompt('Mend it.'),
  step('m4', call('c4')),
  result('c4', 'late '.repeat(80)),
  step('m5', say('Done.')),
);
const fork = recorded('fork', prompt('Leave it.'), step('m6', say('As you wish.')));

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
