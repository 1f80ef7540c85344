import { describe, expect, it } from 'vitest';
import { outline } from '../claude-lines.ts';
import { usagesOf } from '../tools-of.ts';
import { done, type Fields, read, step, text, tokens, tool, user } from './messages.ts';

const start = { type: 'step-start' };
const patch = { type: 'patch', hash: 'a1' };
const finish = (input: number) => ({
  type: 'step-finish',
  reason: 'tool-calls',
  ...tokens(input, 1, { reasoning: 0, cache: {} }),
});
const call = (id: string, from: number) => tool(id, done({ time: { start: from } }));
const readStep = (info: Fields, ...parts: readonly Fields[]) =>
  read(user('u1', text('x')), step('a1', info, ...parts));
const usagesIn = (...parts: readonly Fields[]) => usagesOf(readStep({}, ...parts));

/** A message as releases up to 1.0.68 wrote it. */
const three = [
  start,
  call('c1', 7_000),
  finish(100),
  patch,
  start,
  text('b', { time: { start: 8_000 } }),
  call('c2', 9_000),
  finish(200),
  start,
  text('c'),
  finish(300),
];

describe('a message with several requests', () => {
  it('is a step for each, with what that counted and when it began', () => {
    const session = readStep({ ...tokens(300, 3), time: { created: 5_000 } }, ...three);
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: step-start c1:completed step-finish',
      'assistant: step-start b c2:completed step-finish',
      'assistant: step-start c step-finish',
    ]);
    expect(usagesOf(session)).toMatchObject([
      { input: 100, output: 1 },
      { input: 200, output: 1 },
      { input: 300, output: 3 },
    ]);
    expect(session.messages.map(({ id }) => id)).toEqual(['u1', 'a1', 'a1-step-2', 'a1-step-3']);
    expect(session.messages.slice(1).map(({ createdAt }) => createdAt)).toEqual([
      5_000, 8_000, 8_000,
    ]);
  });

  it('failed with the last of them', () => {
    const session = readStep({ error: { name: 'APIError' } }, ...three);
    const errors = session.messages.map((each) => each.role === 'assistant' && each.error?.name);
    expect(errors).toEqual([false, undefined, undefined, 'APIError']);
  });

  it('has outputs hidden that are those of its steps', () => {
    const hidden = tool('c2', done({ time: { start: 1, compacted: 9e12 } }));
    const session = readStep({}, start, call('c1', 1), finish(1), start, hidden, finish(2));
    expect(session.recordedCompactions).toMatchObject([
      { kind: 'micro', messageIndex: 3, clearedCallIds: ['c2'] },
    ]);
  });
});

describe('a message with one request', () => {
  it.each<[string, readonly Fields[], number]>([
    ['a mark', [start, text('a'), finish(100)], 100],
    ['two marks', [start, text('a'), finish(100), finish(200)], 200],
    ['a mark before what no model sees', [start, text('a'), finish(100), patch], 100],
    ['a try that broke off', [start, start, text('a'), finish(100)], 100],
  ])('may have %s', (_, parts, input) => {
    expect(usagesIn(...parts)).toMatchObject([{ input }]);
  });
});
