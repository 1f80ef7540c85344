import { anthropicBody, openaiBody } from './bodies.ts';
import { refuse } from './refuse.ts';

/** Output that the refused request asks for beside its input. */
const ASKED_OUTPUT_TOKENS = 20_000;

const BAD_REQUEST = 'Bad Request';
const INVALID = 'invalid_request_error';
const OVERFLOW_CODE = 'context_length_exceeded';

/** Refusals of those who serve models of their own. */
export const hostedRefusals = {
  anthropic: refuse({
    describes: 'Names prompt and window: the prompt alone is too large',
    source: 'Anthropic, Messages API',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `prompt is too long: ${requestTokens} tokens > ${windowTokens} maximum`,
    bodyOf: anthropicBody(INVALID),
  }),
  'anthropic-max-tokens': refuse({
    describes: 'Names prompt, requested output and window: the sum is too large',
    source: 'claude-code#4006',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `input length and \`max_tokens\` exceed context limit: ${requestTokens} + ${ASKED_OUTPUT_TOKENS} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    bodyOf: anthropicBody(INVALID),
  }),
  bedrock: refuse({
    describes: 'Names no sizes',
    source: 'opencode#11450, Amazon Bedrock',
    statusCode: 400,
    textOf: () => 'Input is too long for requested model.',
    bodyOf: (text) => ({ message: text }),
  }),
  openai: refuse({
    describes: 'Names no sizes, but has an error code',
    source: 'opencode#8089, OpenAI',
    statusCode: 400,
    textOf: () =>
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    bodyOf: openaiBody({ type: INVALID, param: 'input', code: OVERFLOW_CODE }),
  }),
  google: refuse({
    describes: 'Names request and window size',
    source: 'gemini-cli#4692, Google',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `The input token count (${requestTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
    bodyOf: (text) => ({ error: { code: 400, message: text, status: 'INVALID_ARGUMENT' } }),
  }),
  deepseek: refuse({
    describes: 'Names request and window size',
    source: 'DeepSeek, API',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum context length is ${windowTokens} tokens. However, you requested ${requestTokens} tokens (${requestTokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
    bodyOf: openaiBody({ type: INVALID, param: null, code: INVALID }),
  }),
  xai: refuse({
    describes: 'Names request and window size, in a body that its client cannot read',
    source: 'pi, overflow patterns',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `This model's maximum prompt length is ${windowTokens} but the request contains ${requestTokens} tokens.`,
    bodyOf: (text) => ({ code: 'Client specified an invalid argument', error: text }),
    phrase: BAD_REQUEST,
  }),
  minimax: refuse({
    describes: 'Its only number is an error code, neither window nor request size',
    source: 'MiniMax-M2#119',
    statusCode: 400,
    textOf: () => 'invalid params, context window exceeds limit (2013)',
    bodyOf: anthropicBody(INVALID),
  }),
  kimi: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    statusCode: 400,
    textOf: ({ requestTokens, windowTokens }) =>
      `Invalid request: Your request exceeded model token limit: ${windowTokens} (requested: ${requestTokens})`,
    bodyOf: openaiBody({ type: INVALID }),
  }),
  mistral: refuse({
    describes: 'Names request and window size',
    source: 'pi, overflow patterns',
    statusCode: 400,
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
    statusCode: 400,
    textOf: ({ windowTokens }) =>
      `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${windowTokens}]`,
    bodyOf: openaiBody({ type: INVALID, param: null, code: 'invalid_parameter_error' }),
  }),
  zai: refuse({
    describes: 'Names no sizes',
    source: 'OpenCode release history, v1.17.15',
    statusCode: 400,
    textOf: () => 'tokens in request more than max tokens allowed',
    bodyOf: openaiBody({ code: '1210' }),
  }),
};
