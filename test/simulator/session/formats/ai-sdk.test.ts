import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { partIdsOf, toolsOf, usagesOf } from '../tools-of.ts';
import { surestMatches } from '../../../support/session-matches.ts';

type Fields = Readonly<Record<string, unknown>>;

const text = (content: string) => ({ type: 'text', text: content });
const start = { type: 'step-start' };
const shown = (role: string, ...parts: readonly unknown[]) => ({ id: `id-${role}`, role, parts });
const tool = (toolCallId: string, state: string, over: Fields = {}) => ({
  type: 'tool-boil',
  toolCallId,
  state,
  input: { id: toolCallId },
  ...over,
});
const sent = (role: string, ...content: readonly unknown[]) => ({ role, content });
const call = (toolCallId: string) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'boil',
  input: { id: toolCallId },
});
const result = (toolCallId: string, over: Fields) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'boil',
  ...over,
});

const readAny = (document: unknown): Session =>
  readSessions('kettle.json', JSON.stringify(document))[0]!;
const read = (...messages: readonly Fields[]) => readAny(messages);

const done = tool('c', 'output-available', { output: 'hot' });

describeSessionFormat({
  name: 'ai-sdk',
  text: JSON.stringify([
    shown('user', text('Boil.')),
    shown('assistant', start, { type: 'reasoning', text: 'Hm.' }, done, start, text('Done.')),
  ]),
});
describeSessionFormat({
  name: 'ai-sdk',
  text: JSON.stringify([
    sent('user', text('Boil.')),
    sent('assistant', text('So.'), call('c')),
    sent('tool', result('c', { output: { type: 'text', value: 'hot' } })),
  ]),
});

const claims = (document: unknown) => {
  const file = createSourceFile('x', JSON.stringify(document));
  return surestMatches(file);
};

describe('messages', () => {
  const chat = { role: 'user', content: 'x' };

  it.each<[string, unknown]>([
    ['parts with types', [shown('user', text('x'))]],
    ['parts in an object', { id: 'a', messages: [chat, shown('assistant', text('x'))] }],
    ['calls beside a text', [chat, { role: 'assistant', content: '', toolInvocations: [] }]],
    ['calls', [chat, sent('assistant', call('c'))]],
    ['thoughts', [chat, sent('assistant', { type: 'reasoning', text: 'x' })]],
    ['files with a media type', [sent('user', { type: 'file', data: 'A', mediaType: 'a/b' })]],
    ['pictures', [sent('user', { type: 'image', image: 'A' })]],
  ])('with %s are of this format only', (_, document) => {
    expect(claims(document)).toEqual(['ai-sdk']);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['texts only', [chat], ['openai-chat']],
    ['parts without types', [{ role: 'user', parts: [{ text: 'x' }] }], []],
    ['a file of a chat', [sent('user', { type: 'file', file: {} })], ['openai-chat']],
    ['the time in ms', [{ ...shown('user', text('x')), ts: 1 }], []],
  ])('with %s are not', (_, document, names) => {
    expect(claims(document)).toEqual(names);
  });

  it('of the system are kept apart, and are no conversation', () => {
    const session = read(shown('system', text('Be kind.')), shown('user', text('x')));
    expect(session.system).toBe('Be kind.');
    expect(() => read(shown('system', text('x')))).toThrow(/got messages of the system only\.$/);
  });
});

describe('messages as shown', () => {
  it.each<[string, readonly unknown[]]>([
    ['marks', [start, text('a'), done, start, start, text('b'), text('c')]],
    ['calls', [text('a'), done, text('b'), text('c')]],
  ])('hold a step for each request, told by %s', (_, parts) => {
    const session = read(shown('user', text('x')), shown('assistant', ...parts));
    expect(outline(session)).toEqual(['user: x', 'assistant: a c:completed', 'assistant: b c']);
    expect(session.messages.map(({ id }) => id)).toEqual([
      'id-user',
      'id-assistant',
      'id-assistant-step-2',
    ]);
  });

  it('hold one step where its mark stands before a call and what was written after it', () => {
    const session = read(shown('user', text('x')), shown('assistant', start, done, text('a')));
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed a']);
  });

  it.each<[Fields, Fields]>([
    [tool('c', 'input-streaming'), { status: 'running', input: { id: 'c' } }],
    [tool('c', 'input-available'), { status: 'running' }],
    [done, { status: 'completed', input: { id: 'c' }, output: 'hot' }],
    [tool('c', 'output-available', { output: { n: 1 } }), { output: '{"n":1}' }],
    [tool('c', 'output-error', { errorText: 'Cold.' }), { status: 'error', error: 'Cold.' }],
    [tool('c', 'output-denied'), { status: 'error', error: '' }],
    [{ ...done, type: 'dynamic-tool', toolName: 'boil' }, { output: 'hot' }],
    [
      {
        type: 'tool-invocation',
        toolInvocation: { state: 'call', toolCallId: 'c', toolName: 'boil', args: { n: 1 } },
      },
      { status: 'running', input: { n: 1 } },
    ],
    [
      {
        type: 'tool-invocation',
        toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'boil', result: 'hot' },
      },
      { status: 'completed', output: 'hot' },
    ],
  ])('hold the call %j', (part, state) => {
    const session = read(shown('user', text('x')), shown('assistant', part));
    expect(toolsOf(session)).toMatchObject([{ callId: 'c', tool: 'boil', state }]);
  });

  it('hold thoughts and files, and pieces that no model is sent', () => {
    const session = read(
      shown('user', text('x'), {
        type: 'file',
        mediaType: 'image/png',
        url: 'https://x/a',
        filename: 'a',
      }),
      shown(
        'assistant',
        { type: 'reasoning', reasoning: 'Hm.' },
        { type: 'source-url', url: 'https://x' },
        { type: 'data-weather', data: {} },
        { type: 'dance' },
      ),
    );
    expect(session.messages.map(({ parts }) => parts)).toMatchObject([
      [{ text: 'x' }, { type: 'file', mime: 'image/png', url: 'https://x/a', filename: 'a' }],
      [{ type: 'reasoning', text: 'Hm.' }],
    ]);
    expect(session.report.dropped).toEqual({ 'unknown content part': 1 });
  });

  it('may be old: a text with calls and attachments beside it', () => {
    const invocation = {
      state: 'result',
      toolCallId: 'c',
      toolName: 'boil',
      args: {},
      result: 'hot',
    };
    const picture = { name: 'a.png', contentType: 'image/png', url: 'https://x/a.png' };
    const session = read(
      { role: 'user', content: 'x', experimental_attachments: [picture, picture] },
      { role: 'assistant', content: 'Hot.', toolInvocations: [invocation] },
    );
    expect(outline(session)).toEqual([
      'user: x file file',
      'assistant: c:completed',
      'assistant: Hot.',
    ]);
    expect(partIdsOf(session)[0]).toEqual(['message-1-1', 'message-1-2', 'message-1-3']);
    expect(session.report.repaired).toEqual({});
  });

  const usage = {
    inputTokens: 50,
    outputTokens: 9,
    inputTokenDetails: { cacheReadTokens: 20, cacheWriteTokens: 10 },
    outputTokenDetails: { reasoningTokens: 4 },
  };
  const metadata = { usage, model: 'kettle-1', createdAt: 1_700_000_000_000 };

  it('may tell a usage, which is that of a step where they are one', () => {
    const session = read(
      shown('user', text('x')),
      { ...shown('assistant', text('a')), metadata },
      { ...shown('assistant', done, text('a')), metadata },
    );
    expect(usagesOf(session)).toEqual([
      { input: 20, output: 5, reasoning: 4, cacheRead: 20, cacheWrite: 10 },
      undefined,
      undefined,
    ]);
    expect(session).toMatchObject({ model: 'unknown/kettle-1', isOutputFinal: true });
    expect(session.messages[1]?.createdAt).toBe(1_700_000_000_000);
  });
});

describe('messages as sent', () => {
  const answered = (over: Fields) =>
    read(
      { role: 'user', content: 'x' },
      sent('assistant', text('a'), call('b'), call('c')),
      sent('tool', result('c', over)),
    );

  it.each<[Fields, Fields]>([
    [{ output: { type: 'text', value: 'hot' } }, { status: 'completed', output: 'hot' }],
    [{ output: { type: 'json', value: { n: 1 } } }, { status: 'completed', output: '{"n":1}' }],
    [{ output: { type: 'error-text', value: 'no' } }, { status: 'error', error: 'no' }],
    [{ output: { type: 'error-json', value: [1] } }, { status: 'error', error: '[1]' }],
    [{ output: { type: 'execution-denied', reason: 'no' } }, { status: 'error', error: 'no' }],
    [
      {
        output: {
          type: 'content',
          value: [text('hot'), { type: 'media', data: 'A', mediaType: 'image/png' }],
        },
      },
      { output: 'hot', attachments: [{ mime: 'image/png', url: 'data:image/png;base64,A' }] },
    ],
    [{ result: { n: 1 } }, { status: 'completed', output: '{"n":1}' }],
    [
      { result: 'no', isError: true },
      { status: 'error', error: 'no' },
    ],
  ])('pair the result %j with its call', (over, state) => {
    const session = answered(over);
    expect(toolsOf(session)).toMatchObject([
      { callId: 'b', state: { status: 'running' } },
      { callId: 'c', tool: 'boil', state },
    ]);
    expect(session.messages).toHaveLength(2);
  });

  it('are a step each, and tell no usage', () => {
    const session = answered({ output: { type: 'text', value: 'hot' } });
    expect(usagesOf(session)).toEqual([undefined]);
    expect(session.isOutputFinal).toBe(false);
  });

  it('may hold a result in the answer, given by the provider', () => {
    const own = result('c', { output: { type: 'text', value: 'hot' } });
    const session = read(
      { role: 'user', content: 'x' },
      sent('assistant', call('c'), own, text('a')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed a']);
  });
});
