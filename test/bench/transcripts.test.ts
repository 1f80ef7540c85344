import { describe, expect, it } from 'vitest';
import { transcriptLines } from '../../bench/support/transcripts.ts';
import { readSessions } from '../../src/simulator/session/load.ts';
import { findGrowingCopies, toCopyCandidate } from '../../src/simulator/session/find-copies.ts';

const textOf = (index: number) => [...transcriptLines({ index, bytes: 100_000 })].join('');

describe('generated transcripts', () => {
  it('are read whole, and are as large as asked', () => {
    const text = textOf(0);
    expect(text.length).toBeGreaterThan(100_000);
    expect(text.length).toBeLessThan(115_000);
    const [session] = readSessions('x', text);
    expect(session).toMatchObject({
      format: 'claude-code',
      sessionId: 'session-0',
      report: { dropped: {}, repaired: {} },
    });
    const tools = session!.messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === 'tool');
    expect(tools.length).toBeGreaterThan(5);
    expect(tools).not.toContainEqual(expect.objectContaining({ state: { status: 'running' } }));
  });

  it('are the same for the same number, and no copies of one another', () => {
    expect(textOf(3)).toBe(textOf(3));
    const sessions = [1, 2].flatMap((index) => readSessions(`${index}`, textOf(index)));
    expect(findGrowingCopies(sessions.map(toCopyCandidate))).toEqual([]);
  });
});
