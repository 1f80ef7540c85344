import { STATUS_CODES } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  composeErrorMessage,
  isContextOverflow,
  isContextOverflowEvent,
  knowsOverflow,
  type OverflowErrorRuleName,
  overflowErrorRules,
  policies,
  type PolicyName,
  type ProviderError,
} from '../../../src/engine/index.ts';
import { type RefusalName, refusals } from '../../../src/simulator/provider/refusals.ts';

/** Those of releases of OpenCode, each of which knows what the ones before it knew. */
const rules = (Object.keys(overflowErrorRules) as OverflowErrorRuleName[]).filter((name) =>
  name.startsWith('v'),
);
const NEVER = 'never';

/** A wording, and the first rule that knows it; every later one does too. */
const wordings: readonly [string, OverflowErrorRuleName | typeof NEVER][] = [
  ['prompt is too long: 213462 tokens > 200000 maximum', 'v1.1.54'],
  ['Input is too long for requested model', 'v1.1.54'],
  ['Your input exceeds the context window of this model.', 'v1.1.54'],
  ['The input token count (9) exceeds the maximum number of tokens allowed (8)', 'v1.1.54'],
  ['maximum prompt length is 131072 but the request contains 537812 tokens', 'v1.1.54'],
  ['Please reduce the length of the messages or completion.', 'v1.1.54'],
  ["This endpoint's maximum context length is 8192 tokens. However, you requested 9", 'v1.1.54'],
  ['prompt token count of 135000 exceeds the limit of 128000', 'v1.1.54'],
  ['request (66202 tokens) exceeds the available context size (65536 tokens)', 'v1.1.54'],
  ['tokens to keep from the initial prompt is greater than the context length', 'v1.1.54'],
  ['invalid params, context window exceeds limit', 'v1.1.54'],
  ['Your request exceeded model token limit: 262144 (requested: 300000)', 'v1.1.54'],
  ['context_length_exceeded', 'v1.1.54'],
  ['Context length exceeded', 'v1.1.54'],
  ['400 status code (no body)', 'v1.1.54'],
  ['413 status code (no body)', 'v1.1.54'],
  ['413 (no body)', 'v1.1.54'],
  ['request entity too large', 'v1.2.16'],
  ['the context length is only 32768 tokens', 'v1.3.0'],
  ['input length (20000) exceeds model context length', 'v1.3.0'],
  ['prompt too long; exceeded max context length by 100918 tokens', 'v1.3.4'],
  ['prompt too long; exceeded context length', 'v1.3.4'],
  ['Prompt has 40000 tokens: too large for model with 32768 maximum context length', 'v1.3.4'],
  ['model_context_window_exceeded', 'v1.3.4'],
  ['tokens in request more than max tokens allowed', 'v1.17.15'],
  ['{"type":"request_too_large"}', 'v1.18.4'],
  [
    "Requested tokens exceed? It exceeds the model's maximum context length of 131,072 tokens.",
    'v1.18.4',
  ],
  ["265330 exceeds model's maximum context length (262144).", 'v1.18.4'],
  ['Length 131393 exceeds the maximum allowed input length of 131040 tokens.', 'v1.18.4'],
  [
    "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    'v1.18.4',
  ],
  ['Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens', 'v1.18.4'],
  ['input length and `max_tokens` exceed context limit: 198227 + 20000 > 200000', NEVER],
  ['Context size has been exceeded.', NEVER],
  ['input length of 9 exceeds it.\nThe context length is 8.', NEVER],
  ['exceeds the maximum input token count', NEVER],
  ['input length input length 9 exceeds the context length', 'v1.3.0'],
  ['Range of input length should be [1, 202745]', NEVER],
  ['Input exceeds the max input token limit', NEVER],
  ['429 status code (no body)', NEVER],
  ['An error: 400 status code (no body)', NEVER],
  ['`max_tokens` must be greater than `thinking.budget_tokens`', NEVER],
  ['Unable to submit request because it has a maxOutputTokens value of 70000', NEVER],
  ['Rate limit reached for requests per minute (TPM)', NEVER],
  ['Conversation roles must alternate user/assistant/user/assistant', NEVER],
];

const knowing = (error: ProviderError) => rules.filter((rule) => isContextOverflow(error, rule));
const since = (first: string) =>
  first === NEVER ? [] : rules.slice(rules.indexOf(first as OverflowErrorRuleName));

describe('isContextOverflow', () => {
  it.each(wordings)('%s: %s', (message, first) => {
    expect(knowing({ message, statusCode: 400 })).toEqual(since(first));
    expect(knowing({ message: message.toUpperCase(), statusCode: 400 })).toEqual(since(first));
  });

  it.each<[string, OverflowErrorRuleName[]]>([
    ['Too many tokens', ['v1.1.54', 'v1.18.4', 'v2.0']],
    ['Token limit exceeded', ['v1.1.54', 'v1.18.4', 'v2.0']],
    ['Throttling error: Too many tokens, please wait before trying again.', ['v1.1.54']],
    ['Service unavailable: too many tokens', ['v1.1.54']],
    ['Too many tokens: rate limit reached', ['v1.1.54']],
    ['Too many tokens. Too many requests.', ['v1.1.54']],
    ['Bedrock says: throttling error: too many tokens', ['v1.1.54', 'v1.18.4', 'v2.0']],
  ])('%s: by %s', (message, expected) => {
    expect(knowing({ message })).toEqual(expected);
  });

  it.each(['input length exceeds ', 'input token count ', 'context length '])(
    'looks for words behind one another once, however often a message says %j',
    (words) => {
      const message = words.repeat(100_000);
      expect(knowing({ message })).toEqual([]);
    },
  );

  it.each([
    ['of any text', 'Payload Too Large'],
    ['that speaks of a rate limit', 'rate limit'],
  ])('a 413 %s, but not in the 2.0 engine', (_, message) => {
    const expected = since('v1.2.16').filter((rule) => rule !== 'v2.0');
    expect(knowing({ message, statusCode: 413 })).toEqual(expected);
    expect(policies['opencode-2.0'].reading.overflowErrors).toBe('v2.0');
  });

  it.each<[string, ProviderError, string]>([
    ['a 400 of any text', { message: 'Bad', statusCode: 400 }, NEVER],
    [
      'the code in the body',
      { message: 'no', statusCode: 422, body: '{"error":{"code":"context_length_exceeded"}}' },
      'v1.3.0',
    ],
    [
      'another code in the body',
      { message: 'no', statusCode: 422, body: '{"error":{"code":"insufficient_quota"}}' },
      NEVER,
    ],
    [
      'the code at the top of the body',
      { message: 'no', statusCode: 422, body: '{"code":"context_length_exceeded"}' },
      NEVER,
    ],
    ['a body that is no JSON', { message: 'no', statusCode: 422, body: '{"error":' }, NEVER],
    [
      'an empty message with a telling body',
      { message: '', body: 'prompt is too long' },
      'v1.1.54',
    ],
    [
      'a message that only repeats the status, with a telling body',
      { message: 'Bad Request', statusCode: 400, body: '{"message":"prompt is too long"}' },
      'v1.1.54',
    ],
    [
      'a message of its own, with a telling body',
      { message: 'Request failed', statusCode: 400, body: '{"message":"prompt is too long"}' },
      NEVER,
    ],
    [
      'a message without a status, with a telling body',
      { message: 'Request failed', body: '{"message":"prompt is too long"}' },
      'v1.1.54',
    ],
    [
      'a page of markup',
      { message: 'Bad Request', statusCode: 400, body: '<html>prompt is too long' },
      NEVER,
    ],
  ])('%s', (_, error, first) => {
    expect(knowing(error)).toEqual(since(first));
  });
});

describe('composeErrorMessage', () => {
  it.each<[string, ProviderError, string]>([
    ['takes the message alone', { message: ' broken ' }, 'broken'],
    ['takes the body where the message is empty', { message: '', body: 'why' }, 'why'],
    ['takes the phrase where both are', { message: '', statusCode: 429 }, 'Too Many Requests'],
    ['has words where all are', { message: '' }, 'Unknown error'],
    ['has words for an unknown status', { message: '', statusCode: 299 }, 'Unknown error'],
    [
      'adds the message of the body',
      { message: 'Bad Request', statusCode: 400, body: '{"message":"why"}' },
      'Bad Request: why',
    ],
    [
      'adds the error of the body',
      { message: 'Bad Request', statusCode: 400, body: '{"error":"why"}' },
      'Bad Request: why',
    ],
    [
      'adds the body where its error is no text',
      { message: 'Bad Request', statusCode: 400, body: '{"error":{"message":"why"}}' },
      'Bad Request: {"error":{"message":"why"}}',
    ],
    [
      'adds the body where it is no JSON',
      { message: 'Bad Request', statusCode: 400, body: 'why' },
      'Bad Request: why',
    ],
    [
      'leaves out markup',
      { message: 'Bad Request', statusCode: 400, body: ' <!DOCTYPE html>' },
      'Bad Request',
    ],
  ])('%s', (_, error, expected) => {
    expect(composeErrorMessage(error)).toBe(expected);
  });

  it('knows the phrase of every error status', () => {
    const errors = Object.entries(STATUS_CODES).filter(([code]) => Number(code) >= 400);
    const composed = errors.map(([code]) => {
      return [code, composeErrorMessage({ message: '', statusCode: Number(code) })];
    });
    expect(composed).toEqual(errors);
  });
});

describe('isContextOverflowEvent', () => {
  it.each<[string, unknown, boolean]>([
    ['the code', { type: 'error', error: { code: 'context_length_exceeded' } }, true],
    ['the code as text', '{"type":"error","error":{"code":"context_length_exceeded"}}', true],
    ['another code', { type: 'error', error: { code: 'insufficient_quota' } }, false],
    ['no code', { type: 'error', error: { message: 'prompt is too long' } }, false],
    ['the code of no error', { error: { code: 'context_length_exceeded' } }, false],
    ['nothing', undefined, false],
    ['text that is no JSON', 'context_length_exceeded', false],
  ])('%s: %s', (_, event, expected) => {
    expect(isContextOverflowEvent(event)).toBe(expected);
  });
});

it.each<[PolicyName, RefusalName, boolean]>([
  ['codex-local', 'openai', true],
  ['codex-local', 'google', false],
  ['gemini-cli', 'google', false],
])('%s in the words of %s is known: %s', (name, refusal, isKnown) => {
  const error = refusals[refusal].errorFor({ requestTokens: 9, windowTokens: 8 });
  expect(knowsOverflow(policies[name], error)).toBe(isKnown);
});
