import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

const human = { content: 'x', id: 'h' };
const ai = { content: '', tool_calls: [{ id: 'c', name: 'boil', args: { a: 1 } }] };
const tool = { content: 'hot', tool_call_id: 'c' };

const flat = [
  { type: 'human', ...human },
  { type: 'ai', ...ai },
  { type: 'tool', ...tool },
];
const read = (document: unknown) => readSessions('x', JSON.stringify(document))[0]!;

describe('messages of LangChain', () => {
  it.each<[string, unknown]>([
    ['are a list', flat],
    ['have their fields in data', flat.map(({ type, ...data }) => ({ type, data }))],
    ['are a state', { messages: flat }],
    ['are a state of a thread', { values: { messages: flat }, next: [] }],
    ['are the first of several lists', { messages: [flat] }],
  ])('that %s have calls and results', (_, document) => {
    const session = read(document);
    expect(session.format).toBe('langchain');
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed']);
    expect(toolsOf(session)).toMatchObject([{ state: { input: { a: 1 }, output: 'hot' } }]);
  });

  it('may stand line by line', () => {
    const text = flat.map((message) => `${JSON.stringify(message)}\n`).join('');
    const [session] = readSessions('x', `${text}{"type":"ai"`);
    expect(outline(session!)).toEqual(['user: x', 'assistant: c:completed']);
    expect(session!.report.dropped).toEqual({ 'broken line': 1 });
  });

  it('begin with a summary where a middleware put one', () => {
    const summary = { content: 'A cup.', additional_kwargs: { lc_source: 'summarization' } };
    const session = read([{ type: 'human', ...summary }, ...flat]);
    expect(session.isPartial).toBe(true);
    expect(outline(session)[0]).toBe('user: (A cup.) x');
  });

  it('of early releases have calls and usage as their provider wrote them', () => {
    const called = { id: 'c', function: { name: 'boil', arguments: '{"a":1}' } };
    const told = { token_usage: { prompt_tokens: 9, completion_tokens: 2 }, model_name: 'tea' };
    const early = { type: 'ai', content: '', additional_kwargs: { tool_calls: [called] } };
    const session = read([flat[0], { ...early, response_metadata: told }, flat[2]]);
    expect(toolsOf(session)).toMatchObject([{ state: { input: { a: 1 }, output: 'hot' } }]);
    expect(usagesOf(session)).toMatchObject([{ input: 9, output: 2 }]);
  });

  it('keep failed results and thoughts apart', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'zz' };
    const session = read([
      flat[0],
      { type: 'ai', ...ai, content: [thinking, { type: 'text', text: 'So.' }] },
      { type: 'tool', ...tool, status: 'error' },
    ]);
    expect(outline(session)[1]).toBe('assistant: reasoning So. c:error');
  });
});
