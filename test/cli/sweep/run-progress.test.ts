import { describe, expect, it } from 'vitest';
import { createRunProgress } from '../../../src/cli/sweep/run-progress.ts';
import { captureIo } from '../../support/captured-io.ts';

/** What is written of runs that are told at those times, by who wants it quiet or not. */
function progressAt(times: readonly number[], options: { readonly isQuiet: boolean }) {
  const clock = { timeMs: 0 };
  const io = { ...captureIo({ now: () => clock.timeMs }), ...options };
  const progress = createRunProgress(io, 0);
  for (const [index, timeMs] of times.entries()) {
    clock.timeMs = timeMs;
    progress.update({ done: index + 1, total: times.length });
  }
  progress.stop();
  return io.written.stderr;
}

describe('the progress of many runs', () => {
  it('is a line every ten seconds, with rate and time left', () => {
    expect(progressAt([0, 10_000, 12_000], { isQuiet: false })).toBe(
      '2/3 runs, 0.20 a second, 5 s left\n',
    );
  });

  it('is nothing for who wants it quiet', () => {
    expect(progressAt([0, 10_000, 20_000], { isQuiet: true })).toBe('');
  });
});
