import { describe, expect, it } from 'vitest';
import { createProgress } from '../../../src/cli/process/progress.ts';
import { captureIo } from '../../support/captured-io.ts';

function progressAt(times: readonly number[]) {
  const clock = { timeMs: 0 };
  const io = captureIo({ now: () => clock.timeMs });
  const progress = createProgress(io);
  for (const [index, timeMs] of times.entries()) {
    clock.timeMs = timeMs;
    progress.start({ file: 'a.json', index, total: times.length });
  }
  progress.stop();
  return io.written.stderr;
}

describe('createProgress', () => {
  it('says nothing while it does not take long', () => {
    expect(progressAt([0, 4_000, 9_999])).toBe('');
  });

  it('says where it is every ten seconds', () => {
    expect(progressAt([0, 10_000, 12_000, 19_999, 20_000])).toBe('1/5\n4/5\n');
  });

  it('shows no more of a file name than a terminal may see', () => {
    const io = captureIo({ isTTY: true });
    const progress = createProgress(io);
    progress.start({ file: 'a\u001b]0;title\u0007.json', index: 0, total: 1 });
    progress.stop();
    expect(io.written.stderr).not.toContain('\u001b]');
    expect(io.written.stderr).toContain('\\u001b]0;title');
  });

  it('stops before it has started', () => {
    const io = captureIo({ isTTY: true });
    expect(() => createProgress(io).stop()).not.toThrow();
  });
});
