import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/read.ts';
import { fixture } from '../../support/session-files.ts';
import { call, prompt, result, say, step, transcript } from './claude-lines.ts';
import { calling, header, result as piResult, say as piSay, user } from './pi/lines.ts';

const asLines = (...records: readonly object[]) =>
  records.map((record) => JSON.stringify(record)).join('\n');

/** An item of a Codex rollout. */
const item = (payload: object) => ({ type: 'response_item', payload });

const shellCall = (id: string) => [
  item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: id }),
  item({ type: 'function_call_output', call_id: id, output: 'ok' }),
];

/** A step of a Gemini chat. */
const geminiStep = (id: string) => ({
  id,
  type: 'gemini',
  content: `answer ${id}`,
  toolCalls: [{ id: `call-${id}`, name: 'ls', args: {}, status: 'success' }],
});

const claude = transcript(
  prompt('x'),
  step('m1', call('c1')),
  result('c1'),
  step('m2', call('c2')),
  result('c2'),
  step('m3', say('a')),
);

/** Recordings, and the field of each whose values proxies of providers leave empty. */
const recordings: readonly (readonly [string, string, string])[] = [
  ['Claude Code', 'uuid', claude],
  ['Claude Code', 'parentUuid', claude],
  ['Claude Code', 'id', claude],
  ['Claude Code', 'sessionId', claude],
  [
    'Codex',
    'call_id',
    asLines(
      { type: 'session_meta', payload: { id: 'kettle' } },
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }),
      ...shellCall('c1'),
      ...shellCall('c2'),
    ),
  ],
  [
    'Gemini CLI',
    'id',
    JSON.stringify({
      sessionId: 'kettle',
      projectHash: 'p',
      messages: [{ id: 'u', type: 'user', content: 'x' }, geminiStep('g1'), geminiStep('g2')],
    }),
  ],
  [
    'pi',
    'toolCallId',
    asLines(header, user('x'), calling('c1'), piResult('c1'), calling('c2'), piSay('a')),
  ],
  ['OpenCode', 'id', fixture('opencode-export.json')],
];

/** What stands in a recording: messages by role, and calls. */
function countIn(text: string) {
  const messages = readSessions('kettle', text).flatMap((session) => session.messages);
  return {
    roles: messages.map(({ role }) => role),
    calls: messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool').length,
  };
}

describe('an empty id', () => {
  it.each(recordings)(
    'in %s is none: no message and no call of the same `%s` goes',
    (_, field, text) => {
      const emptied = text.replaceAll(new RegExp(`("${field}": ?)"[^"]*"`, 'g'), '$1""');
      expect(emptied).not.toBe(text);
      expect(countIn(emptied).calls).toBe(countIn(text).calls);
      expect(countIn(emptied).roles).toEqual(countIn(text).roles);
    },
  );
});
