import { describe, expect, it } from 'vitest';
import { type KeepEnds, type Message, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { middleOf, planCut } from '../../../src/engine/pivot/cut.ts';
import { frozen } from '../../../src/engine/values.ts';
import { marker, step, summary, text, tool, user } from '../../support/history.ts';

/** A prompt, five steps of two messages each with outputs of ten tokens, and a last word. */
const HISTORY: readonly Message[] = frozen([
  user('u1'),
  ...['s1', 's2', 's3', 's4', 's5'].map((id) => step(id, [tool(`${id}-0`, 40)])),
  step('s6', [text('t', 'x'.repeat(40))]),
]);

const BASE: KeepEnds = {
  keep: 'ends',
  unit: 'messages',
  first: 0,
  newest: [{ of: 'messages', count: 3 }],
  crossing: 'stays',
};

/** Six answers of ten tokens each. */
const ANSWERS: readonly Message[] = frozen(
  ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((id) => step(id, [text(`${id}-0`, 'x'.repeat(40))])),
);

/** What goes from a history, by ids. */
function gone(cut: Partial<KeepEnds>, history = HISTORY, contextTokens = 1_000): string {
  const whole = { ...BASE, ...cut };
  const policy = resolvePolicy(policies.langchain, { cut: whole });
  const { from, to } = middleOf(history, { cut: whole, policy, limits: { contextTokens } });
  return history
    .slice(from, to)
    .map(({ id }) => id)
    .join(' ');
}

describe('the cut that keeps both ends', () => {
  it.each<[string, Partial<KeepEnds>, string]>([
    ['newest messages', {}, 'u1 s1 s2 s3 s4'],
    ['a step in which the number ends', { newest: [{ of: 'messages', count: 4 }] }, 'u1 s1 s2 s3'],
    [
      'no step in which the number ends',
      { newest: [{ of: 'messages', count: 4 }], crossing: 'goes' },
      'u1 s1 s2 s3 s4',
    ],
    ['the first message', { first: 1 }, 's1 s2 s3 s4'],
    ['a step in which the first number ends', { first: 2 }, 's2 s3 s4'],
    ['the system prompt, the first of events', { unit: 'events', first: 1 }, 'u1 s1 s2 s3 s4'],
    ['one event behind it', { unit: 'events', first: 2 }, 's1 s2 s3 s4'],
    ['nothing', { newest: [] }, 'u1 s1 s2 s3 s4 s5 s6'],
    ['no more than there is', { newest: [{ of: 'messages', count: 99 }] }, ''],
    ['first and newest ones that meet', { first: 99 }, ''],
    // 12 messages, of which half are 6: s6, s5, s4 and one more, with which s3 would come.
    ['a share of all', { newest: [{ of: 'all', share: 0.5 }], crossing: 'goes' }, 'u1 s1 s2 s3'],
    ['a share of the window', { newest: [{ of: 'window', share: 0.01 }] }, 'u1 s1 s2 s3 s4 s5'],
    [
      'the larger of two amounts',
      {
        newest: [
          { of: 'window', share: 0.01 },
          { of: 'messages', count: 3 },
        ],
      },
      'u1 s1 s2 s3 s4',
    ],
    ['from a prompt on, where there is one', { beginsWith: 'prompt' }, 'u1 s1 s2 s3 s4 s5 s6'],
    ['from an answer on', { newest: [{ of: 'messages', count: 99 }], beginsWith: 'answer' }, 'u1'],
  ])('keeps %s', (_, cut, expected) => {
    expect(gone(cut)).toBe(expected);
  });

  it.each<[number, KeepEnds['crossing'], string]>([
    [20, 'goes', 'a1 a2 a3 a4'],
    [25, 'goes', 'a1 a2 a3 a4'],
    [25, 'stays', 'a1 a2 a3'],
  ])('keeps %i tokens; an answer in which they end %s', (count, crossing, expected) => {
    const cut = { newest: [{ of: 'tokens', count }], crossing } as const;
    expect(gone(cut, ANSWERS)).toBe(expected);
  });

  it.each([
    // Half of the window: all 60 tokens fit 500, the newest 30 fit 30, and the newest 10 fit 15.
    [1_000, 'a1'],
    [60, 'a1 a2 a3'],
    [30, 'a1 a2 a3 a4 a5'],
  ])('takes out more until half of a window of %i tokens is left', (contextTokens, expected) => {
    const cut: Partial<KeepEnds> = {
      newest: [{ of: 'messages', count: 5 }],
      furtherShare: { step: 0.1, untilWindowShare: 0.5 },
    };
    expect(gone(cut, ANSWERS, contextTokens)).toBe(expected);
  });

  it('puts what was summarised before into the middle', () => {
    const policy = resolvePolicy(policies.langchain, { cut: { ...BASE, first: 1 } });
    const view = [
      user('u1'),
      marker('m1', { headEndId: 'u1' }),
      summary('sum', 'm1'),
      step('s5', [tool('s5-0', 4)]),
      step('s6', [tool('s6-0', 4)]),
      step('s7', [tool('s7-0', 4)]),
      marker('m2'),
    ];
    const pending = { view, parentId: 'm2', mayReplay: false };
    const { head, headEndId, tailStartId } = planCut(pending, policy, { contextTokens: 1_000 });
    expect(head.map(({ id }) => id)).toEqual(['m1', 'sum', 's5', 'm2']);
    expect({ headEndId, tailStartId }).toEqual({ headEndId: 'u1', tailStartId: 's6' });
  });
});
