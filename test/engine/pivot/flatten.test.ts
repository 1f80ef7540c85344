import { describe, expect, it } from 'vitest';
import type { Message, Part } from '../../../src/engine/index.ts';
import { flattenMessage } from '../../../src/engine/pivot/flatten.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { file, step, text, tool, toolIn, user } from '../../support/history.ts';

const options = { clearedOutput: '[gone]', toolOutputChars: 5 };
const call = '[Assistant tool call]: bash({"id":"t"})';
const reasoning = (value: string): Part => ({ type: 'reasoning', id: 'r', text: value });

describe('flattenMessage', () => {
  it.each<[string, Message, string]>([
    ['says who asked', user('u', 'one', 'two'), '[User]: one\n[User]: two'],
    ['leaves an empty prompt out', user('u', 'one', ''), '[User]: one'],
    ['leaves an ignored text out', user('u', text('i', 'x', { ignored: true }), 'y'), '[User]: y'],
    ['names a file', user('u', file('f', 'text/csv')), '[Attached text/csv: f.bin]'],
    ['says nothing of a sub-task', user('u', { type: 'subtask', id: 'k', prompt: 'x' }), ''],
    ['says who answered', step('s', [text('a', 'yes')]), '[Assistant]: yes'],
    ['leaves an empty answer out', step('s', [text('a', ''), text('b', 'b')]), '[Assistant]: b'],
    [
      'leaves an ignored answer out, which no model is sent',
      step('s', [text('i', 'x', { ignored: true }), text('b', 'b')]),
      '[Assistant]: b',
    ],
    ['tells reasoning apart', step('s', [reasoning('hm')]), '[Assistant reasoning]: hm'],
    ['leaves empty reasoning out', step('s', [reasoning(''), text('b', 'b')]), '[Assistant]: b'],
    [
      'has no line for the beginning of a request',
      step('s', [{ type: 'step-start', id: 'b' }, text('a', 'yes')]),
      '[Assistant]: yes',
    ],
    [
      'keeps an output as long as allowed',
      step('s', [tool('t', 5)]),
      `${call}\n[Tool result]: xxxxx`,
    ],
    [
      'cuts a longer output',
      step('s', [tool('t', 6)]),
      `${call}\n[Tool result]: xxxxx\n[truncated]`,
    ],
    [
      'puts a sentence where an output was cleared',
      step('s', [tool('t', 'out', { compactedAt: 1 })]),
      `${call}\n[Tool result]: [gone]`,
    ],
    [
      'tells an error apart',
      step('s', [toolIn('t', { status: 'error', input: { id: 't' }, error: 'no' })]),
      `${call}\n[Tool error]: no`,
    ],
    [
      'has no result of a call that has not come back',
      step('s', [toolIn('t', { status: 'running', input: { id: 't' } })]),
      call,
    ],
  ])('%s', (...[, message, expected]) => {
    expect(flattenMessage(frozen(message), options)).toBe(expected);
  });
});
