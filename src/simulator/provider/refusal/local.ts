import { openaiBody } from './bodies.ts';
import { refuse } from './refuse.ts';

/** Refusals of servers that people run themselves. */
export const localRefusals = {
  vllm: refuse({
    describes: 'Names request and window size and the requested output',
    source: 'pi#5930',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum context length is ${windowTokens} tokens. However, you requested 0 output tokens and your prompt contains at least ${requestTokens} input tokens, for a total of at least ${requestTokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`,
    bodyOf: openaiBody({ type: 'BadRequestError', param: 'input_tokens', code: 400 }),
  }),
  'llama.cpp': refuse({
    describes: 'Names request and window size, also as fields',
    source: 'oh-my-pi#3752',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `request (${requestTokens} tokens) exceeds the available context size (${windowTokens} tokens), try increasing it`,
    bodyOf: (text, { requestTokens, windowTokens }) => ({
      error: {
        code: 400,
        message: text,
        type: 'exceed_context_size_error',
        n_prompt_tokens: requestTokens,
        n_ctx: windowTokens,
      },
    }),
  }),
  'llama.cpp-context': refuse({
    describes: 'Found only while reading the prompt; names no sizes',
    source: 'pi, overflow patterns',
    statusCode: 500,
    textOf: () => 'Context size has been exceeded.',
    bodyOf: openaiBody({ code: 500, type: 'server_error' }),
  }),
  'lm-studio': refuse({
    describes: 'Names request and window size, in a body that its client cannot read',
    source: 'openclaude#353',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${requestTokens}>= n_ctx: ${windowTokens}). Try to load the model with a larger context length, or provide a shorter input.`,
    bodyOf: (text) => ({ error: text }),
    phrase: 'Bad Request',
  }),
  ollama: refuse({
    describes: 'Names by how many tokens the request is too large',
    source: 'pi#2626',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt too long; exceeded max context length by ${requestTokens - windowTokens} tokens`,
    bodyOf: openaiBody({ type: 'invalid_request_error', param: null, code: null }),
  }),
};
