import { describe, expect, it } from 'vitest';
import { type Message, flattenMessage, policies } from '../../../src/engine/index.ts';
import { file, step, text, tool, toolIn, user } from '../../support/history.ts';

const { clearedOutput } = policies['opencode-1.18'].render;
const flat = (message: Message) =>
  flattenMessage(message, { clearedOutput, toolOutputChars: 2_000 });

describe('flattenHistory', () => {
  it.each<[string, string, Message, string]>([
    [
      'flattenHistory-001',
      'the text of a user and a line for what is attached',
      user('u1', 'hi', file('f', 'image/png', { filename: 'a.png' })),
      '[User]: hi\n[Attached image/png: a.png]',
    ],
    [
      'flattenHistory-002',
      'nothing of a text that is ignored',
      user('u1', text('t', 'x', { ignored: true })),
      '',
    ],
    [
      'flattenHistory-003',
      'thoughts, texts, calls and results of a step',
      step('s1', [
        { type: 'reasoning', id: 'r', text: 'r' },
        text('t', 't'),
        toolIn('b', { status: 'completed', input: { cmd: 'ls' }, output: 'ok' }),
      ]),
      '[Assistant reasoning]: r\n[Assistant]: t\n[Assistant tool call]: bash({"cmd":"ls"})\n[Tool result]: ok',
    ],
    [
      'flattenHistory-005',
      'a note for a cleared output',
      step('s1', [tool('b', 'ok', { compactedAt: 1 })]),
      '[Assistant tool call]: bash({"id":"b"})\n[Tool result]: [Old tool result content cleared]',
    ],
    [
      'flattenHistory-007',
      'only the call of a tool that is running',
      step('s1', [toolIn('b', { status: 'running', input: {} })]),
      '[Assistant tool call]: bash({})',
    ],
  ])('%s: %s', (...[, , message, expected]) => {
    expect(flat(message)).toBe(expected);
  });
});
