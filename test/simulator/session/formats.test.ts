import { describe, expect, it } from 'vitest';
import { sessionFormats } from '../../../src/simulator/session/formats.ts';
import { createSourceFile } from '../../../src/simulator/session/files/source-file.ts';
import { describeSessionFormat } from '../../contracts/session-format.ts';
import { fixture } from '../../support/session-files.ts';

describeSessionFormat({
  name: 'opencode-export',
  text: fixture('opencode-export.json'),
  minReadRatio: 0.4,
});
describeSessionFormat({
  name: 'claude-code',
  text: fixture('claude-code.jsonl'),
  minReadRatio: 0.8,
});
describeSessionFormat({
  name: 'openai-chat',
  text: fixture('openai-chat.json'),
  minReadRatio: 0.2,
});

describeSessionFormat({
  name: 'openai-chat',
  text: asLines(fixture('openai-chat.json')),
  minReadRatio: 0.5,
});

/** The messages of a document, one a line. */
function asLines(document: string): string {
  const messages: unknown = JSON.parse(document);
  if (!Array.isArray(messages)) throw new TypeError('Expected a list of messages.');
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

const chat = { role: 'user', content: 'Is the kettle on?' };

describe('no format claims', () => {
  it.each<[string, unknown]>([
    ['the contents of a Gemini request', [{ role: 'user', parts: [{ text: 'x' }] }]],
    ['what Cline keeps about a session', { version: 1, session_id: 's', source: 'cli', pid: 1 }],
    ['messages with times of another kind', [{ ...chat, ts: '2026-01-01' }]],
    [
      'messages with Anthropic blocks',
      [chat, { role: 'assistant', content: [{ type: 'tool_use' }] }],
    ],
    ['a trajectory without a history', { trajectory: [], info: {} }],
    ['a trajectory without steps', { schema_version: 'ATIF-v1.4', session_id: 's', agent: {} }],
    ['an instance without events', { instance_id: 'i', history: [] }],
    [
      'a Qwen record',
      { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', parts: [] } },
    ],
    ['a wrapped Agent-SDK record', { type: 'user', message: chat, timestamp: '2026-01-01' }],
    [
      'a line of an Agent-SDK stream',
      { type: 'system', subtype: 'init', session_id: 's', uuid: 'u' },
    ],
    ['a rollout line of Codex', { timestamp: 't', type: 'session_meta', payload: { id: 'x' } }],
    ['a message file of OpenCode', { id: 'msg_1', sessionID: 'ses_1', role: 'user' }],
    ['an event of OpenCode', { timestamp: 1, event: { type: 'message.updated', properties: {} } }],
    ['a list of numbers', [1, 2, 3]],
    ['a list of lists', [[chat]]],
    ['an object with info and other things', { info: {}, messages: [1] }],
    ['an object with info and an empty list', { info: {}, messages: [] }],
    ['a list that does not begin with a run', [7, { traj: [chat] }]],
    ['an object without messages', { messages: 'none' }],
    ['a manifest', [{ file: 'a.jsonl', messages: 12 }]],
    ['null', null],
  ])('%s', (_, document) => {
    const file = createSourceFile('x', JSON.stringify(document));
    expect(Object.values(sessionFormats).filter((format) => format.detect(file))).toEqual([]);
  });
});
