import { describe, expect, it } from 'vitest';
import { type Limits, type Message, policies } from '../../../src/engine/index.ts';
import { halveChunk, shrinkHead } from '../../../src/engine/pivot/shrink.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { marker, step, text, user } from '../../support/history.ts';

const policy = policies['opencode-1.2.16'];
const ids = (messages: readonly Message[] = []) => messages.map(({ id }) => id).join(' ');
/** A step that weighs that many tokens. */
const weighing = (id: string, tokens: number) =>
  step(id, [text(`${id}-0`, 'x'.repeat(tokens * 4))]);
const shrink = (head: readonly Message[], rung: number, limits: Limits = { contextTokens: 0 }) =>
  shrinkHead(frozen(head), rung, { policy, limits, asked: head });

const DROP_OLDEST = 1;
const FOLD_CHUNKS = 2;
const END = 3;
const hundreds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => weighing(id, 100));

describe('shrinkHead', () => {
  it.each<[string, Message[], string]>([
    ['the prompt that they answer', [user('u1'), weighing('a', 90), weighing('b', 40)], 'u1 b'],
    [
      'the newest prompt before them',
      [user('u1'), user('u2'), weighing('a', 90), weighing('b', 40)],
      'u2 b',
    ],
    [
      'no marker in its place',
      [user('u1'), marker('m1'), weighing('a', 90), weighing('b', 40)],
      'u1 b',
    ],
    ['nothing where a prompt opens them', [user('u1'), weighing('a', 90), user('u2')], 'u2'],
    ['nothing where there is no prompt', [weighing('a', 90), weighing('b', 40)], 'b'],
    [
      'the prompt, where a large one stands before a marker',
      [user('u1'), weighing('a', 90), weighing('b', 400), marker('m1')],
      'u1 b m1',
    ],
  ])('puts before the newest messages %s', (...[, head, expected]) => {
    expect(ids(shrink(head, DROP_OLDEST)?.head)).toBe(expected);
  });

  it.each<[string, Limits, string]>([
    ['the request that was too large', { contextTokens: 0 }, 'e f g h'],
    ['the window', { contextTokens: 400 }, 'g h'],
    ['the input limit before the window', { contextTokens: 400, inputTokens: 600 }, 'f g h'],
    ['the window where the input limit is 0', { contextTokens: 400, inputTokens: 0 }, 'g h'],
    ['the request if it is smaller than the window', { contextTokens: 9_000 }, 'e f g h'],
  ])('fills half of %s', (_, limits, expected) => {
    expect(ids(shrink(hundreds, DROP_OLDEST, limits)?.head)).toBe(expected);
  });

  it('divides a head into chunks and loses no message, also none without text', () => {
    const smaller = shrink([step('empty'), ...hundreds], FOLD_CHUNKS);
    const chunks = smaller && [smaller.head, ...smaller.rest];
    expect(chunks?.map(ids)).toEqual(['empty a b', 'c d', 'e f', 'g h']);
  });

  it('has nothing after the last rung', () => {
    expect(shrink(hundreds, END)).toBeUndefined();
  });

  it('has nothing for a single message without outputs', () => {
    expect(shrink([weighing('a', 100)], 0)).toBeUndefined();
  });
});

describe('halveChunk', () => {
  it.each<[string, Message[], string | undefined, string | undefined]>([
    ['puts the larger half first', hundreds.slice(0, 3), 'a b', 'c'],
    ['divides two messages', hundreds.slice(0, 2), 'a', 'b'],
    ['does not divide one message', hundreds.slice(0, 1), undefined, undefined],
    [
      'makes no half of a marker that is not sent',
      [...hundreds.slice(0, 1), marker('c')],
      undefined,
      undefined,
    ],
  ])('%s', (...[, asked, first, second]) => {
    const half = halveChunk(frozen(asked), END, policies['opencode-2.0']);
    expect(half && ids(half.head)).toBe(first);
    expect(half && ids(half.rest[0])).toBe(second);
  });
});
