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

/** The error of one provider, and how its client reads it. */
interface RefusalForm {
  readonly describes: string;
  readonly source: string;
  /** Default: 400. */
  readonly statusCode?: number;
  readonly textOf: (size: RefusedSize) => string;
  /** The response around the text; absent where it is empty. A string is sent as it is, else JSON. */
  readonly bodyOf?: (text: string, size: RefusedSize) => unknown;
  /** The status line's words, which the client passes on where it cannot read the body; absent where it can. */
  readonly phrase?: string;
}

/** Tokens of the beginning that Ollama keeps besides half of the window. */
const OLLAMA_KEPT_TOKENS = 2;

const INVALID = 'invalid_request_error';

/** Output that the refused request asks for beside its input. */
const ASKED_OUTPUT_TOKENS = 20_000;

/** Refusals of those who serve models of their own. */
const hostedRefusals = {
  anthropic: refuse({
    describes: 'Names prompt and window: the prompt alone is too large',
    source: 'Anthropic, Messages API',
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt is too long: ${requestTokens} tokens > ${windowTokens} maximum`,
    bodyOf: anthropicBody(INVALID),
  }),
  'anthropic-max-tokens': refuse({
    describes: 'Names prompt, requested output and window: the sum is too large',
    source: 'claude-code#4006',
    textOf: ({ requestTokens, windowTokens }) =>
      `input length and \`max_tokens\` exceed context limit: ${requestTokens} + ${ASKED_OUTPUT_TOKENS} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    bodyOf: anthropicBody(INVALID),
  }),
  bedrock: refuse({
    describes: 'Names no sizes',
    source: 'opencode#11450, Amazon Bedrock',
    textOf: () => 'Input is too long for requested model.',
    bodyOf: (text) => ({ message: text }),
  }),
  openai: refuse({
    describes: 'Names no sizes, but has an error code',
    source: 'opencode#8089, OpenAI',
    textOf: () =>
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    bodyOf: openaiBody({ type: INVALID, param: 'input', code: 'context_length_exceeded' }),
  }),
  google: refuse({
    describes: 'Names request and window size',
    source: 'gemini-cli#4692, Google',
    textOf: ({ requestTokens, windowTokens }) =>
      `The input token count (${requestTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
    bodyOf: (text) => ({ error: { code: 400, message: text, status: 'INVALID_ARGUMENT' } }),
  }),
  deepseek: refuse({
    describes: 'Names request and window size',
    source: 'DeepSeek, API',
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum context length is ${windowTokens} tokens. However, you requested ${requestTokens} tokens (${requestTokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
    bodyOf: openaiBody({ type: INVALID, param: null, code: INVALID }),
  }),
  xai: refuse({
    describes: 'Names request and window size, in a body that its client cannot read',
    source: 'pi, overflow patterns',
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum prompt length is ${windowTokens} but the request contains ${requestTokens} tokens.`,
    bodyOf: (text) => ({ code: 'Client specified an invalid argument', error: text }),
    phrase: 'Bad Request',
  }),
  minimax: refuse({
    describes: 'Its only number is an error code, neither window nor request size',
    source: 'MiniMax-M2#119',
    textOf: () => 'invalid params, context window exceeds limit (2013)',
    bodyOf: anthropicBody(INVALID),
  }),
  kimi: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    textOf: ({ requestTokens, windowTokens }) =>
      `Invalid request: Your request exceeded model token limit: ${windowTokens} (requested: ${requestTokens})`,
    bodyOf: openaiBody({ type: INVALID }),
  }),
  mistral: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    textOf: ({ requestTokens, windowTokens }) =>
      `Prompt contains ${requestTokens} tokens, too large for model with ${windowTokens} maximum context length`,
    bodyOf: (text) => ({
      object: 'error',
      message: text,
      type: 'invalid_request_invalid_args',
      param: null,
      code: '3051',
    }),
  }),
  dashscope: refuse({
    describes: 'Names the window as a range',
    source: 'qwen-code#98, lobehub#14128',
    textOf: ({ windowTokens }) =>
      `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${windowTokens}]`,
    bodyOf: openaiBody({ type: INVALID, param: null, code: 'invalid_parameter_error' }),
  }),
  zai: refuse({
    describes: 'Names no sizes',
    source: 'OpenCode release history, v1.17.15',
    textOf: () => 'tokens in request more than max tokens allowed',
    bodyOf: openaiBody({ code: '1210' }),
  }),
};

/** Refusals of gateways and of servers in front of a model. */
const gatewayRefusals = {
  groq: refuse({
    describes: 'Names no sizes, but has an error code',
    source: 'pi, overflow patterns',
    textOf: () => 'Please reduce the length of the messages or completion.',
    bodyOf: openaiBody({ type: INVALID, param: 'messages', code: 'context_length_exceeded' }),
  }),
  openrouter: refuse({
    describes: 'Names request and window size',
    source: 'Roo-Code#11998',
    textOf: ({ requestTokens, windowTokens }) =>
      `This endpoint's maximum context length is ${windowTokens} tokens. However, you requested about ${requestTokens} tokens (${requestTokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    bodyOf: openaiBody({ code: 400, metadata: { provider_name: null } }),
  }),
  copilot: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt token count of ${requestTokens} exceeds the limit of ${windowTokens}`,
    bodyOf: openaiBody({ code: 'model_max_prompt_tokens_exceeded' }),
  }),
  cerebras: refuse({
    describes: 'No body at all',
    source: 'pi, overflow patterns',
    textOf: () => '400 status code (no body)',
  }),
  'litellm-wrapper': refuse({
    describes: "A model's own words, wrapped in those of the proxy",
    source: 'prime-agent#2086',
    textOf: ({ requestTokens, windowTokens }) =>
      `litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's maximum context length of ${windowTokens} tokens. You requested a total of ${requestTokens} tokens: ${requestTokens} tokens from the input messages and 0 tokens for the completion.`,
    bodyOf: openaiBody({ type: null, param: null, code: '400' }),
  }),
  'litellm-no-model': refuse({
    describes: "The proxy's own words, without sizes",
    source: 'opencode#44888',
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

/** Refusals of servers that people run themselves. */
const localRefusals = {
  vllm: refuse({
    describes: 'Names request and window size and the requested output',
    source: 'pi#5930',
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum context length is ${windowTokens} tokens. However, you requested 0 output tokens and your prompt contains at least ${requestTokens} input tokens, for a total of at least ${requestTokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`,
    bodyOf: openaiBody({ type: 'BadRequestError', param: 'input_tokens', code: 400 }),
  }),
  'llama.cpp': refuse({
    describes: 'Names request and window size, also as fields',
    source: 'oh-my-pi#3752',
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
    textOf: ({ requestTokens, windowTokens }) =>
      `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${requestTokens}>= n_ctx: ${windowTokens}). Try to load the model with a larger context length, or provide a shorter input.`,
    bodyOf: (text) => ({ error: text }),
    phrase: 'Bad Request',
  }),
  ollama: refuse({
    describes: 'Names by how many tokens the request is too large',
    source: 'pi#2626',
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt too long; exceeded max context length by ${requestTokens - windowTokens} tokens`,
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
  refusal: RefusalRules,
  changes: Pick<RefusalRules, 'describes' | 'source' | 'keptTokens'>,
): RefusalRules {
  return { ...refusal, ...changes, kind: 'truncates' };
}

/** The rules of a provider that refuses requests beyond its window. */
function refuse(form: RefusalForm): RefusalRules {
  const { describes, source } = form;
  return {
    describes,
    source,
    kind: 'refuses',
    errorFor: (size) => buildError(form, size),
    keptTokens: () => 0,
  };
}

function buildError(
  { statusCode = 400, textOf, bodyOf, phrase }: RefusalForm,
  size: RefusedSize,
): ProviderError {
  const text = textOf(size);
  const body = bodyOf?.(text, size);
  return {
    message: phrase ?? text,
    statusCode,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** The body of an error of Anthropic's API and of those who imitate it. */
function anthropicBody(type: string) {
  return (text: string) => ({
    type: 'error',
    error: { type, message: text },
    request_id: 'req_000000000000000000000000',
  });
}

/** The body of an error of OpenAI's APIs and of all who imitate them. */
function openaiBody(fields: Readonly<Record<string, unknown>>) {
  return (text: string) => ({ error: { message: text, ...fields } });
}

function htmlBody(text: string): string {
  const title = `<title>${text}</title>`;
  return `<html>\r\n<head>${title}</head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
}
