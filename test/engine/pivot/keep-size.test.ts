import { describe, expect, it } from 'vitest';
import { type KeepSize, type Message, policies } from '../../../src/engine/index.ts';
import { firstKept, keepable } from '../../../src/engine/pivot/keep-size.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { marker, step, summary, text, tool, user } from '../../support/history.ts';

const policy = policies['pi'];
/** A step that weighs that many tokens. */
const weighing = (id: string, tokens: number) =>
  step(id, [text(`${id}-0`, 'x'.repeat(tokens * 4))]);
const prompt = (id: string, tokens: number) => user(id, 'x'.repeat(tokens * 4));
const first = (messages: readonly Message[], cut: KeepSize) =>
  firstKept(frozen(messages), cut, policy)?.id;

describe('keepable', () => {
  it('leaves out markers and earlier summaries', () => {
    const view = [marker('c1'), summary('m1', 'c1'), user('u1'), step('s1'), marker('c2')];
    expect(keepable(view).map(({ id }) => id)).toEqual(['u1', 's1']);
  });
});

describe('firstKept', () => {
  const tens = ['a', 'b', 'c', 'd'].map((id) => weighing(id, 10));

  it.each([
    ['the message with which the sum is reached', 20, 'c'],
    ['one more where a token is missing', 21, 'b'],
    ['the newest message of all, however large', 1, 'd'],
    ['all where the sum is never reached', 100, 'a'],
  ])('of a number of tokens: %s', (_, tokens, expected) => {
    expect(first(tens, { keep: 'recent-messages', tokens })).toBe(expected);
  });

  const calling = step('b', [tool('b-0', 40)], { finish: 'tool-calls' });
  const calls = [weighing('a', 10), calling, weighing('c', 10)];

  it.each([
    ['goes where its results reach the sum', 20, 'c'],
    ['stays where only what it says does', 21, 'b'],
  ])('of a number of tokens: a step %s', (_, tokens, expected) => {
    expect(first(calls, { keep: 'recent-messages', tokens })).toBe(expected);
  });

  it('of a number of tokens: all where nothing stands behind the results that reach it', () => {
    expect(first(calls.slice(0, 2), { keep: 'recent-messages', tokens: 10 })).toBe('a');
  });

  it.each([
    ['the newest two', 2, 'c'],
    ['all of fewer', 9, 'a'],
  ])('of a number of messages: %s', (_, count, expected) => {
    expect(first(tens, { keep: 'newest-messages', count })).toBe(expected);
  });

  const share: KeepSize = { keep: 'last-share', share: 0.3 };
  const working = step('w', [tool('w-0', 400)], { finish: 'tool-calls' });

  it.each<[string, readonly Message[], string | undefined]>([
    [
      'the first prompt behind seven tenths',
      [prompt('u1', 9), weighing('a', 900), prompt('u2', 9), weighing('b', 90), prompt('u3', 9)],
      'u2',
    ],
    [
      'the newest prompt, also before that, while the model works',
      [prompt('u1', 9), weighing('a', 90), prompt('u2', 9), weighing('b', 900), working],
      'u2',
    ],
    ['the only prompt while the model works', [prompt('u1', 9), weighing('a', 90), working], 'u1'],
    [
      'nothing after a last word of the model',
      [prompt('u1', 9), weighing('a', 90), prompt('u2', 9), weighing('b', 900)],
      undefined,
    ],
  ])('of a share: %s', (_, messages, expected) => {
    expect(first(messages, share)).toBe(expected);
  });

  it('of a share: takes characters as the model is sent them', () => {
    const messages = [prompt('u1', 100), weighing('a', 100), prompt('u2', 100), weighing('b', 50)];
    const at = (part: number) => first(messages, { keep: 'last-share', share: part });
    expect([at(0.42), at(0.5)]).toEqual([undefined, 'u2']);
  });
});
