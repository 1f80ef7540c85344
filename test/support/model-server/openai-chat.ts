import type { ServedAnswer, ServedUsage } from './script.ts';
import { CREATED_AT, piecesOf, type Wire, type WireEvent } from './wire.ts';

/** OpenAI's chat completions, as most other servers imitate them. */
export const openAiChat: Wire = {
  toJson: ({ text, finish = 'stop', reasoning, calls, usage }, model) => ({
    ...frame('chat.completion', model),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(reasoning !== undefined && { reasoning_content: reasoning }),
          ...(calls && { tool_calls: toCalls(calls) }),
        },
        finish_reason: finish,
      },
    ],
    ...(usage && { usage: toUsage(usage) }),
  }),
  toEvents: (answer, model) => [
    ...toDeltas(answer, model),
    chunk(model, { choices: [{ index: 0, delta: {}, finish_reason: answer.finish ?? 'stop' }] }),
    ...(answer.usage ? [chunk(model, { choices: [], usage: toUsage(answer.usage) })] : []),
    { data: '[DONE]' },
  ],
  toErrorEvent: (code, message) => ({
    data: { error: { message, type: 'invalid_request_error', param: null, code } },
  }),
};

function toDeltas({ text, reasoning = '', calls }: ServedAnswer, model: string) {
  const deltas = [
    { role: 'assistant', content: '' },
    ...piecesOf(reasoning).map((piece) => ({ reasoning_content: piece })),
    ...piecesOf(text).map((piece) => ({ content: piece })),
    ...(calls ? [{ tool_calls: toCalls(calls) }] : []),
  ];
  return deltas.map((delta) =>
    chunk(model, { choices: [{ index: 0, delta, finish_reason: null }] }),
  );
}

function toCalls(calls: NonNullable<ServedAnswer['calls']>) {
  return calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function chunk(model: string, rest: object): WireEvent {
  return { data: { ...frame('chat.completion.chunk', model), ...rest } };
}

function frame(object: string, model: string) {
  return { id: 'chatcmpl-1', object, created: CREATED_AT, model: `${model}-2026-01-01` };
}

function toUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: ServedUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
  };
}
