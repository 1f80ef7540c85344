import { describe, expect, it } from 'vitest';
import { withRunProgress } from '../../../src/cli/commands/sweep.ts';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createChatSweeps } from '../../support/chat-sweeps.ts';

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
