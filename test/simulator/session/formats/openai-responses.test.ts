import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

const user = (content: unknown) => ({ role: 'user', content });
const said = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const call = (id: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'boil',
  arguments: '{"a":1}',
});
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'hot' });

const read = (document: unknown) => readSessions('x', JSON.stringify(document))[0]!;

describeSessionFormat({
  name: 'openai-responses',
  text: JSON.stringify([
    user([{ type: 'input_text', text: 'Boil it.' }]),
    call('c'),
    { type: 'function_call_output', call_id: 'c', output: 'hot' },
    said('It is hot.'),
  ]),
});

describe('items of the Responses API', () => {
  it.each<[string, unknown]>([
    ['are a list', [user('x'), call('c'), output('c'), said('a')]],
    ['are the input of a request', { input: [user('x'), call('c'), output('c'), said('a')] }],
    ['go on in its output', { input: [user('x'), call('c'), output('c')], output: [said('a')] }],
  ])('that %s have calls and results', (_, document) => {
    const session = read(document);
    expect(session.format).toBe('openai-responses');
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed', 'assistant: a']);
    expect(toolsOf(session)).toMatchObject([{ state: { input: { a: 1 }, output: 'hot' } }]);
  });

  it('of a request have its model and instructions', () => {
    const session = read({ model: 'tea', instructions: 'Be kind.', input: [user('x'), said('a')] });
    expect(session).toMatchObject({ model: 'openai/tea', system: 'Be kind.' });
  });

  it('of an unknown type are counted', () => {
    const session = read([user('x'), said('a'), { type: 'dance' }, 7]);
    expect(session.report.dropped).toEqual({
      'unknown record "dance"': 1,
      'message that is no object': 1,
    });
  });

  it('of a request and its answer have the usage of that answer', () => {
    const usage = {
      input_tokens: 90,
      output_tokens: 30,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens_details: { reasoning_tokens: 20 },
    };
    const session = read({ input: 'x', output: [said('a')], usage });
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
    expect(usagesOf(session)).toMatchObject([
      { input: 30, cacheRead: 60, output: 10, reasoning: 20 },
    ]);
  });

  it('tell of compactions by the server', () => {
    const compaction = { type: 'compaction', encrypted_content: 'zzz' };
    const session = read([user('x'), said('a'), compaction, user('y'), said('b')]);
    expect(session.messages).toHaveLength(4);
    expect(session.recordedCompactions).toEqual([{ kind: 'full', messageIndex: 2 }]);
    expect(read([compaction, user('y'), said('b')])).toMatchObject({ isPartial: true });
  });
});
