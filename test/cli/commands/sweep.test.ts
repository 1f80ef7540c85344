import { describe, expect, it } from 'vitest';
import { withRunProgress } from '../../../src/cli/commands/sweep.ts';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { createFolder, reportedSession, writeFile } from '../../support/session-files.ts';

interface Told {
  readonly isQuiet?: boolean;
  readonly isTTY?: boolean;
  /** How many of the first took no time. */
  readonly unrun?: number;
}

/** What is written of runs that are done at those times. */
async function progressAt(
  times: readonly number[],
  { isQuiet = false, isTTY = false, unrun = 0 }: Told = {},
) {
  const clock = { timeMs: 0 };
  const io = { ...captureIo({ now: () => clock.timeMs, isTTY }), isQuiet };
  await withRunProgress(io, async (show) => {
    for (const [index, timeMs] of times.entries()) {
      clock.timeMs = timeMs;
      const done = index + 1;
      show({ done, total: times.length, ran: Math.max(0, done - unrun) });
    }
  });
  return io.written.stderr;
}

describe('the progress of many runs', () => {
  it('is a line every ten seconds, with rate and time left', async () => {
    expect(await progressAt([0, 10_000, 12_000])).toBe('2/3 runs, 0.20 a second, 5 s left\n');
  });

  it('does not take sessions that are not run for fast ones', async () => {
    expect(await progressAt([0, 0, 0, 10_000, 11_000], { unrun: 3 })).toBe(
      '4/5 runs, 0.10 a second, 10 s left\n',
    );
    expect(await progressAt([0, 10_000, 11_000], { unrun: 2 })).toBe('2/3 runs\n');
  });

  it('tells no rate before a second is over, and no time left before five', async () => {
    expect(await progressAt([999, 999], { isTTY: true })).not.toContain('a second');
    const early = await progressAt([1_000, 1_000], { isTTY: true });
    expect(early).toContain('1/2 runs, 1 a second');
    expect(early).not.toContain('left');
    expect(await progressAt([5_000, 5_000], { isTTY: true })).toContain(', 5 s left');
  });

  it('is nothing for who wants it quiet', async () => {
    expect(await progressAt([0, 10_000, 20_000], { isQuiet: true })).toBe('');
  });
});

const { sessions } = createChatSweeps();

describe('sweep', () => {
  it('counts the runs of a cell that did not complete, by how they ended', async () => {
    const varied = ['--vary', 'contextTokens=1000,0', '--policy', 'document-002'];
    const { cells } = JSON.parse((await sweep([sessions, ...varied, '--format', 'json'])).stdout);
    expect(cells).toMatchObject([
      { completedRuns: 0, endedEarly: { refused: 4 } },
      { completedRuns: 4 },
      { completedRuns: 4, isToday: true, settings: {}, values: ['document-002'] },
    ]);
    expect(cells[1]).not.toHaveProperty('endedEarly');
  });

  it('has a cell of sessions as recorded behind its grid, to which no setting applies', async () => {
    const recorded = writeFile(createFolder(), 'reported.json', reportedSession());
    const argv = [recorded, sessions, '--vary', 'protect=1k,2k', '--set', 'contextTokens=64k'];
    const { stdout } = await sweep([...argv, '--jobs', '1', '--format', 'json']);
    const { cells, deadKnobs, baselines, provenance, sessions: rows } = JSON.parse(stdout);
    expect(cells.map(({ values }: { values: unknown }) => values)).toEqual([
      [1_000],
      [2_000],
      ['opencode-1.2.16'],
      ['recorded'],
    ]);
    expect(cells[3]).toMatchObject({ settings: {}, completedRuns: 1, endedEarly: { skipped: 4 } });
    expect(cells[3].metrics).toMatchObject({ tokensSaved: 0, misses: null });
    expect(deadKnobs).toEqual(['protect']);
    expect(baselines).toEqual({ recorded: 1, none: 4, unknown: 0 });
    expect(Object.keys(provenance.cells)).not.toContain(cells[3].id);
    expect(rows.at(-1)).toMatchObject({ policy: 'recorded' });
  });

  it('writes no name of a session where that is wanted', async () => {
    const argv = [sessions, '--vary', 'contextTokens=1000,0', '--jobs', '1', '--anonymous'];
    const { stdout } = await sweep([...argv, '--format', 'csv']);
    expect(stdout).not.toContain('chat-');
    expect(stdout).toContain('session-4,');
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
