import type { ServedAnswer, ServedUsage } from './script.ts';
import { CREATED_AT, piecesOf, type Wire, type WireEvent } from './wire.ts';

const ITEM_ID = 'msg_1';

/** OpenAI's responses. */
export const openAiResponses: Wire = {
  toJson: toResponse,
  toEvents: (answer, model) => [
    event('response.created', {
      response: { ...toResponse(answer, model), status: 'in_progress', output: [], usage: null },
    }),
    event('response.output_item.added', {
      output_index: 0,
      item: { ...toItem(''), status: 'in_progress', content: [] },
    }),
    ...piecesOf(answer.text).map((delta) =>
      event('response.output_text.delta', {
        item_id: ITEM_ID,
        output_index: 0,
        content_index: 0,
        delta,
      }),
    ),
    event('response.output_item.done', { output_index: 0, item: toItem(answer.text) }),
    event(answer.finish === 'length' ? 'response.incomplete' : 'response.completed', {
      response: toResponse(answer, model),
    }),
  ],
  toErrorEvent: (code, message) =>
    event('error', {
      sequence_number: 3,
      error: { type: 'invalid_request_error', code, message, param: null },
    }),
};

function toResponse({ text, finish, usage }: ServedAnswer, model: string) {
  const isCut = finish === 'length' || finish === 'content_filter';
  return {
    id: 'resp_1',
    object: 'response',
    created_at: CREATED_AT,
    model: `${model}-2026-01-01`,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut
      ? { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' }
      : null,
    error: null,
    output: [toItem(text)],
    ...(usage && { usage: toUsage(usage) }),
  };
}

function toItem(text: string) {
  return {
    id: ITEM_ID,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function event(type: string, rest: object): WireEvent {
  return { name: type, data: { type, ...rest } };
}

function toUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: ServedUsage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
