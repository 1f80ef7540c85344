import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  composeErrorMessage,
  createState,
  isContextOverflow,
  type OverflowErrorRuleName,
  overflowErrorRules,
  policies,
  type ProviderError,
  resolvePolicy,
  transition,
} from '../../../src/engine/index.ts';
import { type RefusalName, refusals } from '../../../src/simulator/provider/refusals.ts';
import { testTools } from '../../support/tools.ts';

const WINDOW_TOKENS = 131_072;
/** A number of the request that no window has. */
const REQUEST_TOKENS = 537_812;
const DECLARED = { contextTokens: 200_000, outputTokens: 8_000 };
const learning = resolvePolicy(policies['opencode-1.18'], { guards: { learnWindow: true } });

/** Refusals that do not say how large the window is. */
const SILENT: readonly RefusalName[] = [
  'bedrock',
  'openai',
  'minimax',
  'zai',
  'groq',
  'cerebras',
  'litellm-no-model',
  'request-too-large',
  'html-413',
  'llama.cpp-context',
  'ollama',
  'ollama-silent',
  'zai-silent',
];

function learnedFrom(refusal: RefusalName): number {
  const error = refusals[refusal].errorFor({
    requestTokens: REQUEST_TOKENS,
    windowTokens: WINDOW_TOKENS,
  });
  const message = composeErrorMessage(error);
  const { state } = transition(
    createState(learning, DECLARED),
    { type: 'step-refused', error: { name: 'ContextOverflowError', message } },
    testTools(),
  );
  return state.limits.contextTokens;
}

const names = Object.keys(refusals) as readonly RefusalName[];

describe('the guard that learns the window', () => {
  it.each(names.filter((name) => !SILENT.includes(name)))(
    'reads it off the refusal: %s',
    (name) => {
      expect(learnedFrom(name)).toBe(WINDOW_TOKENS);
    },
  );

  it.each(SILENT)('learns nothing from a refusal without one: %s', (name) => {
    expect(learnedFrom(name)).toBe(DECLARED.contextTokens);
  });
});

/** Those of OpenCode's releases. */
const rules = (Object.keys(overflowErrorRules) as OverflowErrorRuleName[]).filter((name) =>
  name.startsWith('v'),
);
const namesOfRefusals = Object.keys(refusals) as RefusalName[];
const size = { requestTokens: 202_746, windowTokens: 202_745 };
const errorOf = (name: RefusalName) => refusals[name].errorFor(size);
/** One sign a rule, oldest first: `x` where it takes the error for an overflow. */
const recognition = (error: ProviderError) =>
  rules.map((rule) => (isContextOverflow(error, rule) ? 'x' : '.')).join('');

describe('refusals', () => {
  it('are held against these rules, in this order', () => {
    expect(rules).toEqual([
      'v1.1.54',
      'v1.1.57',
      'v1.2.16',
      'v1.3.0',
      'v1.3.4',
      'v1.17.15',
      'v1.18.4',
      'v2.0',
    ]);
  });

  it.each<[RefusalName, string]>([
    ['anthropic', 'xxxxxxxx'],
    ['anthropic-max-tokens', '........'],
    ['bedrock', 'xxxxxxxx'],
    ['openai', 'xxxxxxxx'],
    ['google', 'xxxxxxxx'],
    ['deepseek', 'xxxxxxxx'],
    ['xai', 'xxxxxxxx'],
    ['minimax', 'xxxxxxxx'],
    ['kimi', 'xxxxxxxx'],
    ['mistral', '....xxxx'],
    ['dashscope', '........'],
    ['zai', '.....xxx'],
    ['groq', 'xxxxxxxx'],
    ['openrouter', 'xxxxxxxx'],
    ['copilot', 'xxxxxxxx'],
    ['cerebras', 'xxxxxxxx'],
    ['litellm-wrapper', '......xx'],
    ['litellm-no-model', '........'],
    ['request-too-large', '..xxxxx.'],
    ['html-413', '..xxxxxx'],
    ['vllm', 'xxxxxxxx'],
    ['llama.cpp', 'xxxxxxxx'],
    ['llama.cpp-context', '........'],
    ['lm-studio', 'xxxxxxxx'],
    ['ollama', '....xxxx'],
    ['ollama-silent', '....xxxx'],
    ['zai-silent', '.....xxx'],
  ])('%s: %s', (name, expected) => {
    expect(recognition(errorOf(name))).toBe(expected);
  });

  it('are known to Codex by their code alone, and to Gemini CLI not at all', () => {
    const knownBy = (rule: OverflowErrorRuleName) =>
      namesOfRefusals.filter((name) => isContextOverflow(errorOf(name), rule));
    expect(knownBy('codex')).toEqual(['openai', 'groq']);
    expect(knownBy('none')).toEqual([]);
  });

  it.each<[RefusalName, number, string]>([
    ['anthropic', 400, 'prompt is too long: 202746 tokens > 202745 maximum'],
    ['anthropic-max-tokens', 400, '202746 + 20000 > 202745'],
    ['bedrock', 400, 'Input is too long for requested model.'],
    ['openai', 400, 'exceeds the context window of this model'],
    ['google', 400, 'count (202746) exceeds the maximum number of tokens allowed (202745).'],
    ['deepseek', 400, 'maximum context length is 202745 tokens. However, you requested 202746'],
    ['xai', 400, 'maximum prompt length is 202745 but the request contains 202746 tokens'],
    ['minimax', 400, 'context window exceeds limit (2013)'],
    ['kimi', 400, 'exceeded model token limit: 202745 (requested: 202746)'],
    ['mistral', 400, 'contains 202746 tokens, too large for model with 202745 maximum'],
    ['dashscope', 400, 'Range of input length should be [1, 202745]'],
    ['zai', 400, 'tokens in request more than max tokens allowed'],
    ['groq', 400, 'Please reduce the length of the messages or completion.'],
    ['openrouter', 400, 'is 202745 tokens. However, you requested about 202746 tokens'],
    ['copilot', 400, 'prompt token count of 202746 exceeds the limit of 202745'],
    ['litellm-wrapper', 400, 'length of 202745 tokens. You requested a total of 202746 tokens'],
    ['litellm-no-model', 400, 'Context Window exceeded for given call.'],
    ['request-too-large', 413, 'Request exceeds the maximum size'],
    ['html-413', 413, '<title>413 Request Entity Too Large</title>'],
    ['vllm', 400, 'is 202745 tokens. However, you requested 0 output tokens and'],
    ['vllm', 400, 'at least 202746 input tokens'],
    [
      'llama.cpp',
      400,
      'request (202746 tokens) exceeds the available context size (202745 tokens)',
    ],
    ['llama.cpp', 400, '"n_prompt_tokens":202746,"n_ctx":202745'],
    ['llama.cpp-context', 500, 'Context size has been exceeded.'],
    ['lm-studio', 400, 'context length (n_keep: 202746>= n_ctx: 202745)'],
    ['ollama', 400, 'prompt too long; exceeded max context length by 1 tokens'],
  ])('%s is a %d with %s in its body', (name, statusCode, words) => {
    const error = errorOf(name);
    expect(error.statusCode).toBe(statusCode);
    expect(error.body).toContain(words);
  });

  it('have a body of JSON with the message in it, but for those that their client cannot read', () => {
    const unread = namesOfRefusals.filter((name) => {
      const { body, message } = errorOf(name);
      return body === undefined || !JSON.stringify(parsedOrText(body)).includes(asJson(message));
    });
    expect(unread).toEqual(['xai', 'cerebras', 'lm-studio']);
  });

  it.each<[RefusalName, ProviderError]>([
    ['cerebras', { message: '400 status code (no body)', statusCode: 400 }],
    [
      'openai',
      {
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        statusCode: 400,
        body: '{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}',
      },
    ],
    [
      'lm-studio',
      {
        message: 'Bad Request',
        statusCode: 400,
        body: '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 202746>= n_ctx: 202745). Try to load the model with a larger context length, or provide a shorter input."}',
      },
    ],
    [
      'request-too-large',
      {
        message: 'Request exceeds the maximum size',
        statusCode: 413,
        body: '{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"},"request_id":"req_000000000000000000000000"}',
      },
    ],
    [
      'html-413',
      {
        message: 'Request Entity Too Large',
        statusCode: 413,
        body: '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n</body>\r\n</html>\r\n',
      },
    ],
  ])('%s, in full', (name, expected) => {
    expect(errorOf(name)).toStrictEqual(expected);
  });

  it('refuse, but for those that say nothing', () => {
    const silent = namesOfRefusals.filter((name) => refusals[name].kind === 'truncates');
    expect(silent).toEqual(['ollama-silent', 'zai-silent']);
    for (const name of namesOfRefusals.filter((each) => !silent.includes(each))) {
      expect(refusals[name].keptTokens(size)).toBe(0);
    }
  });

  it.each([
    ['little-coder#128', 32_768, 16_386],
    ['ollama#17427', 65_536, 32_770],
    ['an odd window', 4_097, 2_050],
  ])('keep about half of the window, silently, as in %s', (_, windowTokens, keptTokens) => {
    const cut = refusals['ollama-silent'].keptTokens({ requestTokens: 100_000, windowTokens });
    expect(cut).toBe(keptTokens);
  });

  it('keep everything, silently', () => {
    expect(refusals['zai-silent'].keptTokens(size)).toBe(202_746);
  });

  it('are recognised or not whatever the numbers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...namesOfRefusals),
        fc.nat(10_000_000),
        fc.integer({ min: 1, max: 2_000_000 }),
        (name, over, windowTokens) => {
          const error = refusals[name].errorFor({
            requestTokens: windowTokens + over,
            windowTokens,
          });
          expect(recognition(error)).toBe(recognition(errorOf(name)));
        },
      ),
    );
  });
});

describe('errors of another kind', () => {
  it.each<[string, ProviderError, string]>([
    [
      'tokens per minute',
      openai(
        429,
        'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.',
        'rate_limit_exceeded',
      ),
      '........',
    ],
    ['a bare rate limit', openai(429, 'rate limit', 429), '........'],
    [
      'too many tokens a minute, by a release that goes by these words',
      openai(429, 'Rate limit: too many tokens per minute', 429),
      'x.......',
    ],
    [
      'throttling, by a release that goes by its words',
      openai(429, 'Throttling error: Too many tokens, please wait before trying again.', 429),
      'x.......',
    ],
    [
      // Every rule but the newest takes any limit with a number for that of the window.
      'a rate limit that names its number',
      openai(429, 'Rate limit: 40000 tokens in a minute exceeds the limit of 30000', 429),
      'xxxxxx..',
    ],
    [
      'a thinking budget',
      openai(400, '`max_tokens` must be greater than `thinking.budget_tokens`', 400),
      '........',
    ],
    [
      'an output cap out of range',
      openai(
        400,
        'Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
        400,
      ),
      '........',
    ],
    [
      'a chat template',
      openai(
        500,
        'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
        500,
      ),
      '........',
    ],
    ['a wrong key', openai(401, 'Incorrect API key provided', 'invalid_api_key'), '........'],
    ['no answer', { message: '', statusCode: 503 }, '........'],
  ])('%s', (_, error, expected) => {
    expect(recognition(error)).toBe(expected);
  });

  it('take a rate limit for an overflow if its status is 413, from v1.2.16 to 1.18', () => {
    const message =
      'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.';
    expect(recognition(openai(413, message, 'rate_limit_exceeded'))).toBe('..xxxxx.');
  });
});

function openai(statusCode: number, message: string, code: string | number): ProviderError {
  const body = JSON.stringify({ error: { message, type: 'error', code } });
  return { message, statusCode, body };
}

function parsedOrText(body: string): unknown {
  return body.startsWith('{') ? JSON.parse(body) : body;
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
