import type { ServedAnswer, ServedUsage } from './script.ts';
import { piecesOf, type Wire, type WireEvent } from './wire.ts';

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;
const NO_USAGE: ServedUsage = { inputTokens: 0, outputTokens: 0 };

/** Anthropic's messages. */
export const anthropicMessages: Wire = {
  toJson: (answer, model) => ({
    ...toMessage(answer, model),
    content: [{ type: 'text', text: answer.text }],
  }),
  toEvents: (answer, model) => [
    event('message_start', {
      message: { ...toMessage(answer, model), content: [], stop_reason: null },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...piecesOf(answer.text).map((text) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: STOP_REASONS[answer.finish ?? 'stop'], stop_sequence: null },
      usage: { output_tokens: (answer.usage ?? NO_USAGE).outputTokens },
    }),
    event('message_stop', {}),
  ],
  toErrorEvent: (code, message) => event('error', { error: { type: code, message } }),
};

function toMessage({ finish = 'stop', usage = NO_USAGE }: ServedAnswer, model: string) {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: `${model}-20260101`,
    stop_reason: STOP_REASONS[finish],
    stop_sequence: null,
    usage: toUsage(usage),
  };
}

function event(type: string, rest: object): WireEvent {
  return { name: type, data: { type, ...rest } };
}

/** Input is told without what was cached. */
function toUsage({ inputTokens, outputTokens, cachedTokens = 0, writtenTokens = 0 }: ServedUsage) {
  return {
    input_tokens: inputTokens - cachedTokens - writtenTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: writtenTokens,
    output_tokens: outputTokens,
  };
}
