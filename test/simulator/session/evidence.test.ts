import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../../../src/engine/index.ts';
import { evidenceOf, type Stretch } from '../../../src/simulator/session/evidence.ts';
import type { RecordedCompaction, Session } from '../../../src/simulator/session/session.ts';
import { usage } from '../../support/history.ts';
import { answer, ask } from '../replay/lab.ts';
import { sessionOf } from './statistics/session.ts';

/** A prompt, and answers by their contexts and models. */
function steps(...all: readonly (readonly [tokens: number, model?: string])[]): readonly Message[] {
  const answers = all.map(([tokens, model], index): AssistantMessage => {
    const { usage: _, ...plain } = answer(`s${index + 1}`, 10);
    return {
      ...plain,
      ...(tokens > 0 && { usage: usage({ input: 1, cacheRead: tokens - 3, cacheWrite: 2 }) }),
      ...(model !== undefined && { model }),
    };
  });
  return [ask('u1', 10), ...answers];
}

const session = (over: Partial<Session>) => sessionOf([], over);

/** A compaction after a step. */
const after = (step: number, over: Partial<RecordedCompaction> = {}): RecordedCompaction => ({
  kind: 'full',
  messageIndex: step + 1,
  ...over,
});

/** A stretch in words: its first step, number of steps, largest request, and what else is known. */
const shown = ({ messageId, steps, largestTokens, model, windowTokens, compaction }: Stretch) => {
  const { index, tokens = 'unknown', isNoted } = compaction ?? {};
  const end = compaction && `ends at ${tokens}${isNoted ? ' noted' : ''} by ${index}`;
  const known = [model, windowTokens && `of ${windowTokens}`, end].filter(Boolean);
  return [messageId, steps, largestTokens, ...known].join(' ');
};

const GROWING = steps([10], [30], [20], [25]);

describe('evidenceOf', () => {
  it.each<[string, Partial<Session>, readonly string[]]>([
    ['one stretch, with the largest request', { messages: GROWING }, ['s1 4 30']],
    [
      'the model of each step, or of most',
      { messages: steps([10, 'a/a'], [11], [12, 'b/b'], [13, 'a/a']), model: 'a/a' },
      ['s1 2 11 a/a', 's3 1 12 b/b', 's4 1 13 a/a'],
    ],
    [
      'an automatic compaction, with the size that the agent noted',
      { messages: GROWING, recordedCompactions: [after(2, { trigger: 'auto', tokensBefore: 31 })] },
      ['s1 2 30 ends at 31 noted by 0', 's3 2 25'],
    ],
    [
      'a size that stands beside no trigger',
      { messages: GROWING, recordedCompactions: [after(4, { tokensBefore: 31 })] },
      ['s1 4 30 ends at 31 by 0'],
    ],
    [
      'the largest request where no size was noted',
      { messages: GROWING, recordedCompactions: [after(4, { trigger: 'auto' })] },
      ['s1 4 30 ends at 30 by 0'],
    ],
    [
      'no size where nothing was measured',
      { messages: steps([0], [0]), recordedCompactions: [after(1)] },
      ['s1 1 0 ends at unknown by 0', 's2 1 0'],
    ],
    [
      'only compactions that nobody asked for, by their place among all',
      {
        messages: GROWING,
        recordedCompactions: [
          after(1, { trigger: 'manual' }),
          after(2, { kind: 'micro' }),
          after(3, { trigger: 'auto', tokensBefore: 9 }),
        ],
      },
      ['s1 3 30 ends at 9 noted by 2', 's4 1 25'],
    ],
    [
      'none that comes before any step, and the first of two in a row',
      {
        messages: GROWING,
        recordedCompactions: [0, 2, 2].map((step) =>
          after(step, { trigger: 'auto', tokensBefore: 31 + step }),
        ),
      },
      ['s1 2 30 ends at 33 noted by 1', 's3 2 25'],
    ],
    [
      'stated windows, the first also of what was sent before it',
      {
        messages: GROWING,
        recordedWindows: [
          { messageIndex: 2, contextTokens: 90 },
          { messageIndex: 4, contextTokens: 80 },
        ],
      },
      ['s1 3 30 of 90', 's4 1 25 of 80'],
    ],
    [
      'what is stated of a session without steps',
      { model: 'a/a', recordedWindows: [{ messageIndex: 0, contextTokens: 90 }] },
      [' 0 0 a/a of 90'],
    ],
  ])('tells %s', (_, over, expected) => {
    const { stretches } = evidenceOf(session(over));
    expect(stretches.map(shown)).toEqual(expected);
  });

  it('counts the messages before each stretch', () => {
    const { stretches } = evidenceOf(
      session({ messages: GROWING, recordedCompactions: [after(2)] }),
    );
    expect(stretches.map(({ messageIndex }) => messageIndex)).toEqual([1, 3]);
  });

  it.each<[string, Partial<Session>, boolean]>([
    ['a provider', { messages: GROWING }, true],
    ['nobody', { messages: steps([0]) }, false],
    ['the bench itself', { messages: GROWING, format: 'generated' }, false],
  ])('knows usage that %s reported', (_, over, expected) => {
    expect(evidenceOf(session(over)).hasUsage).toBe(expected);
  });

  it('keeps what the file says of agent, cache and cost', () => {
    const told = { release: [2, 1, 17], cacheTtlMs: 3_600_000, ownCostUsd: 4.2 };
    expect(evidenceOf(session({ ...told, isSide: true }))).toMatchObject({ ...told, isSide: true });
  });
});
