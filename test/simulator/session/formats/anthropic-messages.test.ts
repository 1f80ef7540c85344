import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

const user = (content: unknown) => ({ role: 'user', content });
const say = (content: unknown) => ({ role: 'assistant', content });
const call = { type: 'tool_use', id: 'c', name: 'boil', input: { a: 1 } };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'hot' };

const read = (document: unknown) => readSessions('x', JSON.stringify(document))[0]!;

describe('messages of the Anthropic API', () => {
  it.each<[string, unknown]>([
    ['are a list', [user('x'), say([call]), user([result])]],
    ['stand in an object', { messages: [user('x'), say([call]), user([result])] }],
  ])('that %s have calls and results', (_, document) => {
    const session = read(document);
    expect(session.format).toBe('anthropic-messages');
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed']);
    expect(toolsOf(session)).toMatchObject([{ state: { input: { a: 1 }, output: 'hot' } }]);
  });

  it('are a request by its fields, whatever they hold', () => {
    const system = [{ type: 'text', text: 'Be kind.' }, { type: 'dance' }];
    const session = read({ model: 'm', max_tokens: 9, system, messages: [user('x'), say('a')] });
    expect(session).toMatchObject({ format: 'anthropic-messages', system: 'Be kind.' });
    expect(session.model).toBe('anthropic/m');
    expect(session.report.dropped).toEqual({ 'unknown content block': 1 });
  });

  it('may be answers as they came, with model and usage', () => {
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 9 };
    const answer = { id: 'm', model: 'tea', ...say([call]), usage };
    const session = read({ model: 'other', messages: [user('x'), answer] });
    expect(session).toMatchObject({ model: 'anthropic/tea', isOutputFinal: true });
    expect(usagesOf(session)).toMatchObject([{ input: 5, cacheRead: 9, output: 7 }]);
  });

  it('are not those of others', () => {
    const chat = [user('x'), { ...say([call]), tool_calls: [] }];
    expect(read(chat).format).toBe('openai-chat');
  });

  it('tell of compactions by the server', () => {
    const compaction = { type: 'compaction', content: 'A cup.' };
    const answer = say([compaction, { type: 'text', text: 'b' }]);
    const session = read([user('x'), say('a'), user('y'), answer]);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: y', 'assistant: b']);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', trigger: 'auto', messageIndex: 3, summary: 'A cup.' },
    ]);
    expect(session.report.dropped).toEqual({});
  });
});
