/** The forms in which agents ask a model: how a request is read, and how an answer is written. */

import type { OfferedTool, SentMessage, SentRequest } from './request.ts';
import type { ScriptUsage } from './script.ts';

/** An answer of a model. */
export interface Said {
  readonly text: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: object };
  readonly usage?: ScriptUsage;
}

/** One dialect; an event is a line of `data:` of a streamed answer. */
export interface Dialect {
  readonly matches: RegExp;
  readonly read: (body: Json, path: string) => SentRequest;
  readonly write: (said: Said, id: string) => Json;
  readonly stream: (said: Said, id: string) => readonly StreamEvent[];
  /** Line that ends a stream, where there is one. */
  readonly end?: string;
}

/** An event of a stream, with its name where the dialect has names. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: Json;
}

export type Json = { readonly [key: string]: unknown };

const MODEL = 'mock-model';

/** Dialects by name. */
export const dialects = {
  chat: {
    matches: /\/chat\/completions$/,
    read: (body) => ({
      messages: listOf(body['messages']).map(readChatMessage),
      tools: listOf(body['tools']).map((tool) => readTool(objectOf(tool['function']))),
      isStreaming: body['stream'] === true,
    }),
    write: (said, id) => ({
      ...chatHead(id, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: said.text || null, ...chatCalls(said) },
          finish_reason: chatFinish(said),
        },
      ],
      ...(said.usage && { usage: chatUsage(said.usage) }),
    }),
    stream: (said, id) => {
      const head = chatHead(id, 'chat.completion.chunk');
      const delta = { role: 'assistant', content: said.text, ...chatCalls(said) };
      const choice = (fields: Json) => ({ data: { ...head, choices: [{ index: 0, ...fields }] } });
      return [
        choice({ delta, finish_reason: null }),
        choice({ delta: {}, finish_reason: chatFinish(said) }),
        ...(said.usage ? [{ data: { ...head, choices: [], usage: chatUsage(said.usage) } }] : []),
      ];
    },
    end: '[DONE]',
  },
  responses: {
    matches: /\/responses$/,
    read: (body) => ({
      messages: [
        ...instructionsOf(body['instructions']),
        ...(typeof body['input'] === 'string'
          ? [{ role: 'user' as const, text: body['input'], calls: 0 }]
          : listOf(body['input']).flatMap(readResponsesItem)),
      ],
      tools: listOf(body['tools']).map(readTool),
      isStreaming: body['stream'] === true,
    }),
    write: (said, id) => responsesAnswer(said, id, 'completed'),
    stream: (said, id) => {
      const items = responsesItems(said, id);
      return [
        named('response.created', { response: responsesAnswer(said, id, 'in_progress') }),
        ...items.flatMap((item, index) => [
          named('response.output_item.added', { output_index: index, item }),
          named('response.output_item.done', { output_index: index, item }),
        ]),
        named('response.completed', { response: responsesAnswer(said, id, 'completed') }),
      ];
    },
  },
  gemini: {
    matches: /:(?:generateContent|streamGenerateContent)$/,
    read: (body, path) => ({
      messages: [
        ...instructionsOf(textOf(objectOf(body['systemInstruction'])['parts'])),
        ...listOf(body['contents']).map(readGeminiContent),
      ],
      tools: listOf(body['tools'])
        .flatMap((tool) => listOf(tool['functionDeclarations']))
        .map(readTool),
      isStreaming: path.includes(':stream'),
    }),
    write: geminiAnswer,
    stream: (said) => [{ data: geminiAnswer(said) }],
  },
} satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;

function readChatMessage(message: Json): SentMessage {
  const calls = listOf(message['tool_calls']);
  const inputs = calls.map((call) => wordOf(objectOf(call['function'])['arguments']));
  return {
    role: roleOf(message['role']),
    text: [textOf(message['content']), ...inputs].filter(Boolean).join('\n'),
    calls: calls.length,
  };
}

function chatHead(id: string, object: string): Json {
  return { id, object, created: 0, model: MODEL };
}

function chatCalls({ call }: Said): Json {
  if (call === undefined) return {};
  const asked = { name: call.name, arguments: JSON.stringify(call.input) };
  return { tool_calls: [{ index: 0, id: call.id, type: 'function', function: asked }] };
}

function chatFinish({ call }: Said): string {
  return call === undefined ? 'stop' : 'tool_calls';
}

function chatUsage({ inputTokens, outputTokens }: ScriptUsage): Json {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

function readResponsesItem(item: Json): readonly SentMessage[] {
  const type = wordOf(item['type']) || 'message';
  if (type === 'message')
    return [{ role: roleOf(item['role']), text: textOf(item['content']), calls: 0 }];
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call')
    return [{ role: 'assistant', text: wordOf(item['arguments']), calls: 1 }];
  if (type.endsWith('_output')) return [{ role: 'tool', text: textOf(item['output']), calls: 0 }];
  return [];
}

function named(type: string, fields: Json): StreamEvent {
  return { event: type, data: { type, ...fields } };
}

function responsesItems({ text, call }: Said, id: string): readonly Json[] {
  if (call === undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    return [{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }];
  }
  return [
    {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.input),
      status: 'completed',
    },
  ];
}

function responsesAnswer(said: Said, id: string, status: string): Json {
  const { usage } = said;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    status,
    model: MODEL,
    output: status === 'completed' ? responsesItems(said, id) : [],
    usage: usage
      ? {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.inputTokens + usage.outputTokens,
        }
      : null,
  };
}

function readGeminiContent(content: Json): SentMessage {
  const parts = listOf(content['parts']);
  const results = parts.filter((part) => part['functionResponse']);
  const calls = parts.filter((part) => part['functionCall']);
  const told = results.map((part) => {
    const { response } = objectOf(part['functionResponse']);
    const { output } = objectOf(response);
    return typeof output === 'string' ? output : JSON.stringify(response ?? '');
  });
  const inputs = calls.map((part) => JSON.stringify(objectOf(part['functionCall'])['args'] ?? {}));
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  return {
    role: results.length > 0 ? 'tool' : role,
    text: [textOf(parts), ...inputs, ...told].filter(Boolean).join('\n'),
    calls: calls.length,
  };
}

function geminiAnswer({ text, call, usage }: Said): Json {
  const part = call ? { functionCall: { name: call.name, args: call.input } } : { text };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    modelVersion: MODEL,
    ...(usage && {
      usageMetadata: {
        promptTokenCount: usage.inputTokens,
        candidatesTokenCount: usage.outputTokens,
        totalTokenCount: usage.inputTokens + usage.outputTokens,
      },
    }),
  };
}

function readTool(tool: Json): OfferedTool {
  const parameters = tool['parameters'] ?? tool['parametersJsonSchema'] ?? {};
  return { name: wordOf(tool['name']) || wordOf(tool['type']), parameters: objectOf(parameters) };
}

function instructionsOf(text: unknown): readonly SentMessage[] {
  return typeof text === 'string' && text !== '' ? [{ role: 'system', text, calls: 0 }] : [];
}

function roleOf(role: unknown): SentMessage['role'] {
  if (role === 'developer') return 'system';
  return role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => wordOf(part['text']));
  return texts.filter(Boolean).join('\n');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
