import { anthropicBody, htmlBody, openaiBody } from './bodies.ts';
import { refuse } from './refuse.ts';

const INVALID = 'invalid_request_error';

/** Refusals of those who serve the models of others, and of what stands before a model. */
export const gatewayRefusals = {
  groq: refuse({
    describes: 'Names no sizes, but has an error code',
    source: 'pi, overflow patterns',
    statusCode: 400,
    textOf: () => 'Please reduce the length of the messages or completion.',
    bodyOf: openaiBody({ type: INVALID, param: 'messages', code: 'context_length_exceeded' }),
  }),
  openrouter: refuse({
    describes: 'Names request and window size',
    source: 'Roo-Code#11998',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `This endpoint's maximum context length is ${windowTokens} tokens. However, you requested about ${requestTokens} tokens (${requestTokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    bodyOf: openaiBody({ code: 400, metadata: { provider_name: null } }),
  }),
  copilot: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt token count of ${requestTokens} exceeds the limit of ${windowTokens}`,
    bodyOf: openaiBody({ code: 'model_max_prompt_tokens_exceeded' }),
  }),
  cerebras: refuse({
    describes: 'No body at all',
    source: 'pi, overflow patterns',
    statusCode: 400,
    textOf: () => '400 status code (no body)',
  }),
  'litellm-wrapper': refuse({
    describes: "A model's own words, wrapped in those of the proxy",
    source: 'prime-agent#2086',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's maximum context length of ${windowTokens} tokens. You requested a total of ${requestTokens} tokens: ${requestTokens} tokens from the input messages and 0 tokens for the completion.`,
    bodyOf: openaiBody({ type: null, param: null, code: '400' }),
  }),
  'litellm-no-model': refuse({
    describes: "The proxy's own words, without sizes",
    source: 'opencode#44888',
    statusCode: 400,
    textOf: () =>
      'ContextWindowExceededError: litellm.BadRequestError: Context Window exceeded for given call. No models have context window large enough for this call.',
    bodyOf: openaiBody({ type: null, param: null, code: '400' }),
  }),
  'request-too-large': refuse({
    describes: 'Too many bytes, however few tokens',
    source: 'local-operator#596, Anthropic',
    statusCode: 413,
    textOf: () => 'Request exceeds the maximum size',
    bodyOf: anthropicBody('request_too_large'),
  }),
  'html-413': refuse({
    describes: 'Too many bytes for a proxy, which answers with an HTML page',
    source: 'qwen-code#10380',
    statusCode: 413,
    textOf: () => '413 Request Entity Too Large',
    bodyOf: htmlBody,
    phrase: 'Request Entity Too Large',
  }),
};
