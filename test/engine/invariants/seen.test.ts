import { describe, expect, it } from 'vitest';
import type { Message, ModelContent, ModelMessage } from '../../../src/engine/index.ts';
import { pairedCallsOf, pairingProblems } from '../../../src/engine/invariants/seen.ts';
import { step, summary, tool, user } from '../../support/history.ts';

const call = (callId: string): ModelContent => ({
  type: 'tool-call',
  callId,
  tool: 'bash',
  input: {},
});
const result = (callId: string): ModelContent => ({
  type: 'tool-result',
  callId,
  tool: 'bash',
  output: '',
  isError: false,
  attachments: [],
});
const said: ModelContent = { type: 'text', text: 'a' };
const by = (role: ModelMessage['role'], ...content: readonly ModelContent[]): ModelMessage => ({
  role,
  content,
});

const USED_TWICE = 'a call id is used twice';
const NO_CALL = 'a result has no call before it';
const NO_RESULT = 'a call has no result';

describe('pairingProblems', () => {
  it.each<[string, readonly ModelMessage[], readonly string[]]>([
    ['nothing in no messages', [], []],
    ['nothing in texts', [by('user', said), by('assistant', said)], []],
    ['nothing in a pair', [by('assistant', said, call('a')), by('tool', result('a'))], []],
    [
      'nothing in pairs of any order',
      [by('assistant', call('a'), call('b')), by('tool', result('b'), result('a'))],
      [],
    ],
    [
      'a call without a result',
      [by('assistant', call('a')), by('tool', result('b'))],
      [NO_CALL, NO_RESULT],
    ],
    ['a call at the end', [by('assistant', call('a'))], [NO_RESULT]],
    ['a result without a call', [by('tool', result('a'))], [NO_CALL]],
    [
      'a result before its call',
      [by('tool', result('a')), by('assistant', call('a'))],
      [NO_CALL, NO_RESULT],
    ],
    [
      'two results of a call',
      [by('assistant', call('a')), by('tool', result('a'), result('a'))],
      [NO_CALL],
    ],
    [
      'an id that was used before',
      [by('assistant', call('old')), by('tool', result('old'))],
      [USED_TWICE],
    ],
  ])('finds %s', (_, sent, expected) => {
    expect(pairingProblems(sent, (callId) => callId === 'old')).toEqual(expected);
  });
});

describe('pairedCallsOf', () => {
  const calls = [tool('t1', 'a'), tool('t2', 'b')];
  const ended = (name: string) => step('s1', calls, { error: { name, message: '' } });

  it.each<[string, Message, readonly string[] | undefined]>([
    ['none of a request', user('u1'), []],
    ['none of a step that failed, which is not sent', ended('APIError'), []],
    ['those of a step that was aborted', ended('MessageAbortedError'), ['call-t1', 'call-t2']],
    ['those of a step', step('s1', calls), ['call-t1', 'call-t2']],
    ['nothing of a summary', summary('x1', 'c1', { parts: calls }), undefined],
    ['nothing of calls under one id', step('s1', [...calls, tool('t1', 'c')]), undefined],
  ])('tells %s', (_, message, expected) => {
    expect(pairedCallsOf(message)).toEqual(expected);
  });
});
