import type { ProviderError } from '../../engine/index.ts';

/** The name of a provider's way with requests that are too large. */
export type RefusalName = keyof typeof refusals;

/** The sizes that a refusal reports. */
export interface RefusedSize {
  readonly requestTokens: number;
  readonly windowTokens: number;
}

/** A provider's rules for a request that exceeds the window. */
export interface RefusalRules {
  readonly describes: string;
  readonly source: string;
  /** It refuses, or it cuts the request without a word. */
  readonly kind: 'refuses' | 'truncates';
  /** The error as its client reports it; for `refuses`. */
  readonly errorFor: (size: RefusedSize) => ProviderError;
  /** Tokens that are kept after a cut; for `truncates`. */
  readonly keptTokens: (size: RefusedSize) => number;
}

interface RefusalForm extends Pick<RefusalRules, 'describes' | 'source'> {
  readonly statusCode?: number;
  /** With `{request}`, `{window}` and `{excess}` for sizes in tokens. */
  readonly text: string;
  /** The response around the text; absent where it is empty. A string is sent unchanged, else JSON. */
  readonly bodyOf?: (text: string, size: RefusedSize) => unknown;
  /** The status line's words, which the client passes on where it cannot read the body; absent where it can. */
  readonly phrase?: string;
}

/** Tokens of the beginning that Ollama keeps besides half of the window. */
const OLLAMA_KEPT_TOKENS = 2;
const INVALID = 'invalid_request_error';
const OVERFLOW_CODE = 'context_length_exceeded';
const BAD_REQUEST = 'Bad Request';

const hostedRefusals = {
  anthropic: refusal({
    describes: 'Names prompt and window: the prompt alone is too large',
    source: 'Anthropic, Messages API',
    text: 'prompt is too long: {request} tokens > {window} maximum',
    bodyOf: anthropicBody(INVALID),
  }),
  'anthropic-max-tokens': refusal({
    describes: 'Names prompt, requested output and window: the sum is too large',
    source: 'claude-code#4006',
    text: 'input length and `max_tokens` exceed context limit: {request} + 20000 > {window}, decrease input length or `max_tokens` and try again',
    bodyOf: anthropicBody(INVALID),
  }),
  bedrock: refusal({
    describes: 'Names no sizes',
    source: 'opencode#11450, Amazon Bedrock',
    text: 'Input is too long for requested model.',
    bodyOf: (text) => ({ message: text }),
  }),
  openai: refusal({
    describes: 'Names no sizes, but has an error code',
    source: 'opencode#8089, OpenAI',
    text: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    bodyOf: openaiBody({ type: INVALID, param: 'input', code: OVERFLOW_CODE }),
  }),
  google: refusal({
    describes: 'Names request and window size',
    source: 'gemini-cli#4692, Google',
    text: 'The input token count ({request}) exceeds the maximum number of tokens allowed ({window}).',
    bodyOf: (text) => ({ error: { code: 400, message: text, status: 'INVALID_ARGUMENT' } }),
  }),
  deepseek: refusal({
    describes: 'Names request and window size',
    source: 'DeepSeek, API',
    text: "This model's maximum context length is {window} tokens. However, you requested {request} tokens ({request} in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
    bodyOf: openaiBody({ type: INVALID, param: null, code: INVALID }),
  }),
  xai: refusal({
    describes: 'Names request and window size, in a body that its client cannot read',
    source: 'pi, overflow patterns',
    text: "This model's maximum prompt length is {window} but the request contains {request} tokens.",
    bodyOf: (text) => ({ code: 'Client specified an invalid argument', error: text }),
    phrase: BAD_REQUEST,
  }),
  minimax: refusal({
    describes: 'Its only number is an error code, neither window nor request size',
    source: 'MiniMax-M2#119',
    text: 'invalid params, context window exceeds limit (2013)',
    bodyOf: anthropicBody(INVALID),
  }),
  kimi: refusal({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    text: 'Invalid request: Your request exceeded model token limit: {window} (requested: {request})',
    bodyOf: openaiBody({ type: INVALID }),
  }),
  mistral: refusal({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    text: 'Prompt contains {request} tokens, too large for model with {window} maximum context length',
    bodyOf: (text) => ({
      object: 'error',
      message: text,
      type: 'invalid_request_invalid_args',
      param: null,
      code: '3051',
    }),
  }),
  dashscope: refusal({
    describes: 'Names the window as a range',
    source: 'qwen-code#98, lobehub#14128',
    text: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {window}]',
    bodyOf: openaiBody({ type: INVALID, param: null, code: 'invalid_parameter_error' }),
  }),
  zai: refusal({
    describes: 'Names no sizes',
    source: 'OpenCode release history, v1.17.15',
    text: 'tokens in request more than max tokens allowed',
    bodyOf: openaiBody({ code: '1210' }),
  }),
};

const gatewayRefusals = {
  groq: refusal({
    describes: 'Names no sizes, but has an error code',
    source: 'pi, overflow patterns',
    text: 'Please reduce the length of the messages or completion.',
    bodyOf: openaiBody({ type: INVALID, param: 'messages', code: OVERFLOW_CODE }),
  }),
  openrouter: refusal({
    describes: 'Names request and window size',
    source: 'Roo-Code#11998',
    text: 'This endpoint\'s maximum context length is {window} tokens. However, you requested about {request} tokens ({request} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    bodyOf: openaiBody({ code: 400, metadata: { provider_name: null } }),
  }),
  copilot: refusal({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    text: 'prompt token count of {request} exceeds the limit of {window}',
    bodyOf: openaiBody({ code: 'model_max_prompt_tokens_exceeded' }),
  }),
  cerebras: refusal({
    describes: 'No body at all',
    source: 'pi, overflow patterns',
    text: '400 status code (no body)',
  }),
  'litellm-wrapper': refusal({
    describes: "A model's own words, wrapped in those of the proxy",
    source: 'prime-agent#2086',
    text: "litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's maximum context length of {window} tokens. You requested a total of {request} tokens: {request} tokens from the input messages and 0 tokens for the completion.",
    bodyOf: openaiBody({ type: null, param: null, code: '400' }),
  }),
  'litellm-no-model': refusal({
    describes: "The proxy's own words, without sizes",
    source: 'opencode#44888',
    text: 'ContextWindowExceededError: litellm.BadRequestError: Context Window exceeded for given call. No models have context window large enough for this call.',
    bodyOf: openaiBody({ type: null, param: null, code: '400' }),
  }),
  'request-too-large': refusal({
    describes: 'Too many bytes, however few tokens',
    source: 'local-operator#596, Anthropic',
    statusCode: 413,
    text: 'Request exceeds the maximum size',
    bodyOf: anthropicBody('request_too_large'),
  }),
  'html-413': refusal({
    describes: 'Too many bytes for a proxy, which answers with an HTML page',
    source: 'qwen-code#10380',
    statusCode: 413,
    text: '413 Request Entity Too Large',
    bodyOf: htmlBody,
    phrase: 'Request Entity Too Large',
  }),
};

const localRefusals = {
  vllm: refusal({
    describes: 'Names request and window size and the requested output',
    source: 'pi#5930',
    text: "This model's maximum context length is {window} tokens. However, you requested 0 output tokens and your prompt contains at least {request} input tokens, for a total of at least {request} tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    bodyOf: openaiBody({ type: 'BadRequestError', param: 'input_tokens', code: 400 }),
  }),
  'llama.cpp': refusal({
    describes: 'Names request and window size, also as fields',
    source: 'oh-my-pi#3752',
    text: 'request ({request} tokens) exceeds the available context size ({window} tokens), try increasing it',
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
  'llama.cpp-context': refusal({
    describes: 'Found only while reading the prompt; names no sizes',
    source: 'pi, overflow patterns',
    statusCode: 500,
    text: 'Context size has been exceeded.',
    bodyOf: openaiBody({ code: 500, type: 'server_error' }),
  }),
  'lm-studio': refusal({
    describes: 'Names request and window size, in a body that its client cannot read',
    source: 'openclaude#353',
    text: 'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: {request}>= n_ctx: {window}). Try to load the model with a larger context length, or provide a shorter input.',
    bodyOf: (text) => ({ error: text }),
    phrase: BAD_REQUEST,
  }),
  ollama: refusal({
    describes: 'Names by how many tokens the request is too large',
    source: 'pi#2626',
    text: 'prompt too long; exceeded max context length by {excess} tokens',
    bodyOf: openaiBody({ type: INVALID, param: null, code: null }),
  }),
};

/** Providers' rules for requests that exceed the window, by name. */
export const refusals = {
  ...hostedRefusals,
  ...gatewayRefusals,
  ...localRefusals,
  'ollama-silent': truncate(localRefusals.ollama, {
    describes: 'Silently keeps only about half a window',
    source: 'little-coder#128, ollama#17427',
    keptTokens: ({ windowTokens }) => Math.floor(windowTokens / 2) + OLLAMA_KEPT_TOKENS,
  }),
  'zai-silent': truncate(hostedRefusals.zai, {
    describes: 'Silently accepts everything',
    source: 'pi, overflow patterns',
    keptTokens: ({ requestTokens }) => requestTokens,
  }),
} satisfies Record<string, RefusalRules>;

/** The rules of a provider that cuts a request without a word; asked not to, it would refuse like another. */
function truncate(
  rules: RefusalRules,
  changes: Pick<RefusalRules, 'describes' | 'source' | 'keptTokens'>,
): RefusalRules {
  return { ...rules, ...changes, kind: 'truncates' };
}

function refusal({ describes, source, statusCode = 400, ...form }: RefusalForm): RefusalRules {
  const errorFor = (size: RefusedSize): ProviderError => {
    const { requestTokens, windowTokens } = size;
    const text = form.text
      .replaceAll('{request}', `${requestTokens}`)
      .replaceAll('{window}', `${windowTokens}`)
      .replaceAll('{excess}', `${requestTokens - windowTokens}`);
    const body = form.bodyOf?.(text, size);
    return {
      message: form.phrase ?? text,
      statusCode,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
  };
  return { describes, source, kind: 'refuses', errorFor, keptTokens: () => 0 };
}

function anthropicBody(type: string) {
  return (text: string) => ({
    type: 'error',
    error: { type, message: text },
    request_id: 'req_000000000000000000000000',
  });
}

function openaiBody(fields: Readonly<Record<string, unknown>>) {
  return (text: string) => ({ error: { message: text, ...fields } });
}

function htmlBody(text: string): string {
  const title = `<title>${text}</title>`;
  return `<html>\r\n<head>${title}</head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
}
