import { describe, expect, it } from 'vitest';
import { type Message, policies } from '../../../src/engine/index.ts';
import { quoteMessages, quotePrompts, unansweredFrom } from '../../../src/engine/pivot/quote.ts';
import { file, marker, step, summary, text, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

const policy = policies['codex-local'];
const quote = (messages: readonly Message[], tokens: number) =>
  quotePrompts(messages, tokens, policy);

describe('unansweredFrom', () => {
  it.each<[string, readonly Message[], number]>([
    ['the prompt at the end', [user('u1'), step('s1'), user('u2'), marker('c1')], 2],
    ['the first of several', [step('s1'), user('u1'), user('u2')], 1],
    ['none where a step is newer', [user('u1'), step('s1'), marker('c1')], -1],
    ['none that a summary stands for', [marker('c1'), user('q1'), summary('m1', 'c1')], -1],
    ['none in an empty view', [], -1],
  ])('is %s', (_, view, expected) => {
    expect(unansweredFrom(view)).toBe(expected);
  });
});

describe('quotePrompts', () => {
  const messages = [
    user('u1', 'a'.repeat(40)),
    step('s1'),
    user('u2', 'b'.repeat(20), file('f1', 'image/png'), 'c'.repeat(19)),
    marker('c1'),
    user('u3', text('t1', 'Continue.', { synthetic: true }), text('t2', 'x', { ignored: true })),
    user('u4', file('f2', 'image/png')),
    user('u5', 'd'.repeat(40)),
  ];
  const [a, both, d] = ['a'.repeat(40), `${'b'.repeat(20)}\n${'c'.repeat(19)}`, 'd'.repeat(40)];

  it.each([
    ['all that was said, the oldest first', 30, [a, both, d]],
    ['the newest that fit', 20, [both, d]],
    [
      'the middle left out of the one that does not fit',
      15,
      [`${'b'.repeat(10)}\n[20 characters left out]\n${'c'.repeat(10)}`, d],
    ],
    ['nothing without a budget', 0, []],
  ])('quotes %s', (_, tokens, expected) => {
    expect(quote(messages, tokens)).toEqual(expected);
  });

  it('makes a message of each, which a person said', () => {
    expect(quoteMessages(['x', 'y'], testTools(9))).toEqual([
      { ...user('message-1', text('part-2', 'x')), createdAt: 9 },
      { ...user('message-3', text('part-4', 'y')), createdAt: 9 },
    ]);
  });
});
