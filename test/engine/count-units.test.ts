import { describe, expect, it } from 'vitest';
import { countMessage, countUnits } from '../../src/engine/conditions.ts';
import type { Message } from '../../src/engine/index.ts';
import { marker, step, summary, text, tool, user } from '../support/history.ts';

describe('units of a message', () => {
  it.each<[string, Message, number, number, number]>([
    ['a prompt', user('u1'), 1, 1, 1],
    ['words of the agent itself', user('u1', text('t', 'Go on.', { synthetic: true })), 1, 1, 0],
    ['an answer in words', step('s1', [text('t', 'Done.')]), 1, 1, 0],
    ['a call and its result', step('s1', [tool('c1', 4)]), 2, 2, 0],
    ['words before a call', step('s1', [text('t', 'Look.'), tool('c1', 4)]), 2, 2, 0],
    ['three calls at once', step('s1', [tool('a', 1), tool('b', 1), tool('c', 1)]), 4, 6, 0],
    ['a summary', summary('sum', 'm1'), 1, 1, 0],
    ['a marker, which no model is shown', marker('m1'), 0, 0, 0],
  ])('%s', (_, message, ...counts) => {
    const units = ['messages', 'events', 'turns'] as const;
    expect(units.map((unit) => countMessage(message, unit))).toEqual(counts);
  });

  it('begin with the system prompt where events are counted', () => {
    const view = [user('u1'), step('s1', [tool('c1', 4)])];
    expect(countUnits(view)).toEqual({ messages: 3, events: 4, turns: 1 });
  });
});
