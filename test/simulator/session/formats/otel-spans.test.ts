import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';

type Attributes = Readonly<Record<string, unknown>>;

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const calls = (id: string) => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id, name: 'bash', arguments: { command: 'ls' } }],
});
const answers = (id: string, response: string) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id, response }],
});

const valueOf = (value: unknown) => {
  if (typeof value === 'number') return { intValue: `${value}` };
  if (typeof value === 'boolean') return { boolValue: value };
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) };
};

/** A span of a request, `index` seconds into the conversation. */
const span = (index: number, input: readonly object[], output: object, rest: Attributes = {}) => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'gen_ai.conversation.id': 'c1',
    'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
    'gen_ai.usage.input_tokens': 1_000 * index,
    'gen_ai.usage.cache_read.input_tokens': 400 * index,
    'gen_ai.usage.output_tokens': 10,
    'gen_ai.input.messages': input,
    'gen_ai.output.messages': [output],
    ...rest,
  };
  return {
    traceId: 't1',
    name: 'chat claude-sonnet-4-5',
    startTimeUnixNano: `${index}000000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) })),
  };
};

const document = (spans: readonly object[]) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

const first = [text('user', 'List the files.')];
const second = [...first, calls('a'), answers('a', 'README.md')];
const said = text('assistant', 'One file.');
const summary = text('user', 'So far: one file was listed.');

const plain = document([span(2, second, said), span(1, first, calls('a'))]);
const compacted = document([
  span(1, first, calls('a')),
  span(2, second, said),
  span(3, [summary, text('user', 'And again.')], said, { 'gen_ai.conversation.compacted': true }),
]);

describeSessionFormat({ name: 'otel-spans', text: plain });
describeSessionFormat({ name: 'otel-spans', text: `${plain}\n${plain}\n` });

describe('spans of GenAI requests', () => {
  it('are one conversation in the order of time, each message once', () => {
    const [session] = readSessions('spans.json', plain);
    const parts = session?.messages.flatMap((message) => message.parts);
    expect(session?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(parts).toMatchObject([
      { type: 'text', text: 'List the files.' },
      { type: 'tool', tool: 'bash', state: { status: 'completed', output: 'README.md' } },
      { type: 'text', text: 'One file.' },
    ]);
    expect(session).toMatchObject({ system: 'Be brief.', model: 'anthropic/claude-sonnet-4-5' });
    expect(session?.messages[2]).toMatchObject({
      usage: { input: 1_200, cacheRead: 800, output: 10 },
    });
  });

  it('hold a compaction where a request no longer begins as the one before', () => {
    const [session] = readSessions('spans.json', compacted);
    expect(session?.recordedCompactions).toEqual([
      {
        kind: 'full',
        messageIndex: 3,
        tokensAfter: 3_000,
        summary: 'So far: one file was listed.',
      },
    ]);
    expect(session?.messages).toHaveLength(5);
  });

  it('hold a clearing where only outputs became others', () => {
    const cleared = [...first, calls('a'), answers('a', '[cleared]'), said, text('user', 'Go on.')];
    const [session] = readSessions(
      'spans.json',
      document([span(1, first, calls('a')), span(2, second, said), span(3, cleared, said)]),
    );
    expect(session?.recordedCompactions).toEqual([
      { kind: 'micro', messageIndex: 3, clearedCallIds: ['a'] },
    ]);
    expect(JSON.stringify(session?.messages)).toContain('README.md');
  });
});
