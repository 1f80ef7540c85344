import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../../../src/engine/index.ts';
import { evidenceOf, type Stretch } from '../../../src/simulator/session/evidence.ts';
import type { RecordedCompaction, Session } from '../../../src/simulator/session/session.ts';
import { usage } from '../../support/history.ts';
import { answer, ask } from '../replay/lab.ts';

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

const session = (over: Partial<Session>): Session => ({
  name: 'lab',
  format: 'lab',
  isSide: false,
  isPartial: false,
  messages: [],
  recordedCompactions: [],
  isOutputFinal: true,
  report: { dropped: {}, repaired: {} },
  ...over,
});

/** A compaction after a step. */
const after = (step: number, over: Partial<RecordedCompaction> = {}): RecordedCompaction => ({
  kind: 'full',
  messageIndex: step + 1,
  ...over,
});

const found = (
  messageId: string,
  count: number,
  largestTokens: number,
  more: Partial<Stretch> = {},
) => ({ messageId, steps: count, largestTokens, ...more });

const GROWING = steps([10], [30], [20], [25]);

describe('evidenceOf', () => {
  it.each<[string, Partial<Session>, readonly Partial<Stretch>[]]>([
    ['one stretch, with the largest request', { messages: GROWING }, [found('s1', 4, 30)]],
    [
      'the model of each step, or of most',
      { messages: steps([10, 'a/a'], [11], [12, 'b/b'], [13, 'a/a']), model: 'a/a' },
      [
        found('s1', 2, 11, { model: 'a/a' }),
        found('s3', 1, 12, { model: 'b/b' }),
        found('s4', 1, 13, { model: 'a/a' }),
      ],
    ],
    [
      'an automatic compaction, with the size that the agent noted',
      { messages: GROWING, recordedCompactions: [after(2, { trigger: 'auto', tokensBefore: 31 })] },
      [
        found('s1', 2, 30, { compaction: { index: 0, tokens: 31, isNoted: true } }),
        found('s3', 2, 25),
      ],
    ],
    [
      'a size that stands beside no trigger',
      { messages: GROWING, recordedCompactions: [after(4, { tokensBefore: 31 })] },
      [found('s1', 4, 30, { compaction: { index: 0, tokens: 31, isNoted: false } })],
    ],
    [
      'the largest request where no size was noted',
      { messages: GROWING, recordedCompactions: [after(4, { trigger: 'auto' })] },
      [found('s1', 4, 30, { compaction: { index: 0, tokens: 30, isNoted: false } })],
    ],
    [
      'no size where nothing was measured',
      { messages: steps([0], [0]), recordedCompactions: [after(1)] },
      [found('s1', 1, 0, { compaction: { index: 0, isNoted: false } }), found('s2', 1, 0)],
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
      [
        found('s1', 3, 30, { compaction: { index: 2, tokens: 9, isNoted: true } }),
        found('s4', 1, 25),
      ],
    ],
    [
      'none that comes before any step, and the first of two in a row',
      {
        messages: GROWING,
        recordedCompactions: [0, 2, 2].map((step) =>
          after(step, { trigger: 'auto', tokensBefore: 31 + step }),
        ),
      },
      [
        found('s1', 2, 30, { compaction: { index: 1, tokens: 33, isNoted: true } }),
        found('s3', 2, 25),
      ],
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
      [found('s1', 3, 30, { windowTokens: 90 }), found('s4', 1, 25, { windowTokens: 80 })],
    ],
    [
      'what is stated of a session without steps',
      { model: 'a/a', recordedWindows: [{ messageIndex: 0, contextTokens: 90 }] },
      [found('', 0, 0, { model: 'a/a', windowTokens: 90 })],
    ],
  ])('tells %s', (_, over, expected) => {
    const { stretches } = evidenceOf(session(over));
    expect(stretches.map(({ messageIndex: __, ...rest }) => rest)).toEqual(expected);
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
