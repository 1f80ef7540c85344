import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../../src/engine/index.ts';
import { aiSdkMessages } from '../../../../src/simulator/provider/forms/ai-sdk.ts';
import { anthropicMessages } from '../../../../src/simulator/provider/forms/anthropic.ts';
import type { MessageForm } from '../../../../src/simulator/provider/forms/form.ts';
import { openAiMessages } from '../../../../src/simulator/provider/forms/openai.ts';
import { compactorOf } from '../../../../src/simulator/sweep/adapter/compactor-of.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const call = (callId: string, tool: string, input: unknown) =>
  ({ type: 'tool-call', callId, tool, input }) as const;
const result = (callId: string, tool: string, output: string, more: object = {}) => ({
  type: 'tool-result' as const,
  callId,
  tool,
  output,
  isError: false,
  attachments: [],
  ...more,
});
const text = (words: string) => ({ type: 'text', text: words }) as const;

const conversation: readonly ModelMessage[] = [
  {
    role: 'user',
    content: [text('Look at this.'), { type: 'file', mime: 'image/png', url: PIXEL }],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Both at once.' },
      text('I look.'),
      call('c1', 'read', { path: 'a.ts' }),
      call('c2', 'bash', { command: 'ls' }),
    ],
  },
  {
    role: 'tool',
    content: [
      result('c1', 'read', 'let a = 1', {
        attachments: [{ type: 'file', id: 'c1-file-1', mime: 'image/png', url: PIXEL }],
      }),
      result('c2', 'bash', 'ls: no such thing', { isError: true }),
    ],
  },
  { role: 'user', content: [text('And now?')] },
  { role: 'assistant', content: [text('Done.')] },
];

type Form = MessageForm<{ content: unknown }>;
const each = Object.entries({
  aiSdk: aiSdkMessages,
  anthropic: anthropicMessages,
  openAi: openAiMessages,
}) as unknown as readonly (readonly [string, Form])[];
const about = { limits: { contextTokens: 100_000 } };

describe.each(each)('messages of %s', (_, form) => {
  it('say what the messages of the engine say', () => {
    const back = form.from(form.to(conversation));
    const outputs = back.flatMap(({ content }) =>
      content.flatMap((one) => (one.type === 'tool-result' ? [[one.tool, one.output]] : [])),
    );
    expect(outputs).toEqual([
      ['read', 'let a = 1'],
      ['bash', 'ls: no such thing'],
    ]);
    const calls = back.flatMap(({ content }) => content.filter(({ type }) => type === 'tool-call'));
    expect(calls).toEqual([
      call('c1', 'read', { path: 'a.ts' }),
      call('c2', 'bash', { command: 'ls' }),
    ]);
    expect(
      back.flatMap(({ content }) => content).filter(({ type }) => type === 'reasoning'),
    ).toEqual([{ type: 'reasoning', text: 'Both at once.' }]);
    expect(form.to(back)).toEqual(form.to(conversation));
  });

  it('are the very same messages where a compaction returns them as they were', async () => {
    const same = await compactorOf(form, (messages) => structuredClone(messages))({
      messages: conversation,
      ...about,
    });
    expect(same).toHaveLength(conversation.length);
    for (const [index, message] of same.entries()) expect(message).toBe(conversation[index]);
  });

  it('are the session’s own only where all of a message comes back', async () => {
    const changed = await compactorOf(form, (messages) =>
      JSON.parse(JSON.stringify(messages).replaceAll('ls: no such thing', 'cleared')),
    )({ messages: conversation, ...about });
    expect(JSON.stringify(changed)).toContain('cleared');
    expect(JSON.stringify(changed)).not.toContain('no such thing');
  });

  it('are told apart where one is left out, and another one is new', async () => {
    const shorter = await compactorOf(form, (messages) => [
      ...form.to([{ role: 'user', content: [text('Summary: all is well.')] }]),
      ...messages.slice(-1),
    ])({ messages: conversation, ...about });
    expect(shorter).toEqual([
      { role: 'user', content: [text('Summary: all is well.')] },
      conversation.at(-1),
    ]);
    expect(shorter.at(-1)).toBe(conversation.at(-1));
  });
});

describe('the forms', () => {
  it('have the shapes of their interfaces', () => {
    expect(anthropicMessages.to(conversation)[2]).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [
            { type: 'text', text: 'let a = 1' },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
            },
          ],
        },
        {
          type: 'tool_result',
          tool_use_id: 'c2',
          content: 'ls: no such thing',
          is_error: true,
        },
        { type: 'text', text: 'And now?' },
      ],
    });
    expect(openAiMessages.to(conversation).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'user',
      'assistant',
    ]);
    expect(aiSdkMessages.to(conversation)[2]).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'c1', output: { type: 'content' } },
        { toolCallId: 'c2', output: { type: 'error-text', value: 'ls: no such thing' } },
      ],
    });
  });

  it('leave out system messages, and take contents that are one text', () => {
    expect(
      openAiMessages.from([
        { role: 'system', content: 'You are kind.' },
        { role: 'user', content: 'Hello.' },
      ]),
    ).toEqual([{ role: 'user', content: [text('Hello.')] }]);
    expect(anthropicMessages.from([{ role: 'user', content: 'Hello.' }])).toEqual([
      { role: 'user', content: [text('Hello.')] },
    ]);
    expect(
      aiSdkMessages.from([
        { role: 'system', content: 'You are kind.' },
        { role: 'assistant', content: 'Hello.' },
      ]),
    ).toEqual([{ role: 'assistant', content: [text('Hello.')] }]);
  });
});
