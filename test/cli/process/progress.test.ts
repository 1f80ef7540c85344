import { describe, expect, it } from 'vitest';
import { inTurn, shownLeft, withProgress } from '../../../src/cli/process/progress.ts';
import { captureIo } from '../../support/captured-io.ts';

async function progressAt(times: readonly number[]): Promise<string> {
  const clock = { timeMs: 0 };
  const io = captureIo({ now: () => clock.timeMs });
  await withProgress(io, async (show) => {
    for (const [index, timeMs] of times.entries()) {
      clock.timeMs = timeMs;
      show({ file: 'a.json', index, total: times.length });
    }
  });
  return io.written.stderr;
}

/** What a bar writes when it is gone. */
const SHOWN_CURSOR = '\u001b[?25h';

describe('withProgress', () => {
  it('says nothing while it does not take long', async () => {
    expect(await progressAt([0, 4_000, 9_999])).toBe('');
  });

  it('says where it is every ten seconds', async () => {
    expect(await progressAt([0, 10_000, 12_000, 19_999, 20_000])).toBe('1/5\n4/5\n');
  });

  it('shows no more of a file name than a terminal may see', async () => {
    const io = captureIo({ isTTY: true });
    await withProgress(io, async (show) => {
      show({ file: 'a\u001b]0;title\u0007.json', index: 0, total: 1 });
    });
    expect(io.written.stderr).not.toContain('\u001b]');
    expect(io.written.stderr).toContain('\\u001b]0;title');
  });

  it('ends before anything is shown, with what the work came to', async () => {
    const io = captureIo({ isTTY: true });
    expect(await withProgress(io, async () => 'done')).toBe('done');
  });

  it('leaves no bar behind where the work fails', async () => {
    const io = captureIo({ isTTY: true });
    const failing = withProgress(io, async (show) => {
      show({ file: 'a.json', index: 0, total: 1 });
      throw new Error('Expected to fail.');
    });
    await expect(failing).rejects.toThrow('Expected to fail.');
    expect(io.written.stderr).toContain(SHOWN_CURSOR);
  });
});

describe('shownLeft', () => {
  it.each<[passedMs: number, done: number, left: string]>([
    [4_999, 50, ''],
    [60_000, 0, ''],
    [60_000, 9, ''],
    [5_000, 10, ', 45 s left'],
    [60_000, 20, ', 4 min 0 s left'],
    [60_000, 100, ', 0 s left'],
  ])('after %i ms with %i of 100 is "%s"', (passedMs, done, left) => {
    expect(shownLeft(passedMs, done, 100)).toBe(left);
  });
});

/** What is gone through, and what is written besides, up to one item. */
function goTo(last: string) {
  const io = captureIo({ isTTY: true });
  const seen: string[] = [];
  for (const item of inTurn(['a', 'b', 'c'], (name) => `${name}.json`, io)) {
    seen.push(item);
    if (item === last) break;
  }
  return { seen, stderr: io.written.stderr };
}

describe('inTurn', () => {
  it('shows the first item, gives all in their order, and leaves no bar behind', () => {
    const { seen, stderr } = goTo('');
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(stderr).toContain('0/3 a.json');
    expect(stderr).toContain(SHOWN_CURSOR);
  });

  it('leaves no bar behind where the loop ends early', () => {
    const { seen, stderr } = goTo('b');
    expect(seen).toEqual(['a', 'b']);
    expect(stderr).toContain(SHOWN_CURSOR);
  });
});
