import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { createFolder } from '../../support/session-files.ts';

const { sessions } = createChatSweeps();

describe('sweep', () => {
  it('counts the runs of a cell that did not complete, by how they ended', async () => {
    const varied = ['--vary', 'contextTokens=1000,0', '--policy', 'document-002'];
    const { cells } = JSON.parse((await sweep([sessions, ...varied, '--format', 'json'])).stdout);
    expect(cells).toMatchObject([
      { completedRuns: 0, endedEarly: { refused: 4 } },
      { completedRuns: 4 },
    ]);
    expect(cells[1]).not.toHaveProperty('endedEarly');
  });

  it('makes no folder with the name of a file', async () => {
    const out = join(createFolder(), 'results.csv');
    const { code, stderr } = await sweep([sessions, '--format', 'csv', '--out', out]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe(
      `Expected '--out' to be a writable folder, got '${out}', which is named like a file.\n`,
    );
    expect(existsSync(out)).toBe(false);
  });

  it('is interrupted where the user wants to stop before its rows are written', async () => {
    const controller = new AbortController();
    const io = captureIo({ signal: controller.signal });
    const { stdout } = io;
    const write = stdout.write.bind(stdout);
    Object.assign(stdout, {
      write: (piece: string) => {
        controller.abort();
        return write(piece);
      },
    });
    const argv = ['sweep', sessions, '--vary', 'contextTokens=1000,0', '--format', 'csv'];
    expect(await main(['--no-cache', ...argv, '--jobs', '1'], io)).toBe(EXIT.interrupted);
    expect(io.written.stdout.split('\n')).toHaveLength(2);
    expect(io.written.stderr).toContain('Interrupted.');
  });
});
