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
  it('are errors that releases take for an overflow, or not', async () => {
    const told = namesOfRefusals.map((name) => {
      const { statusCode, message, body = '(no body)' } = errorOf(name);
      return [`${name}: ${statusCode} ${message}`, recognition(errorOf(name)), body, ''];
    });
    const others = OTHERS.map(
      (error) => `${recognition(error)} ${error.statusCode} ${error.message}`,
    );
    const lines = [`rules: ${rules.join(', ')}`, '', ...told.flat(), ...others, ''];
    await expect(lines.join('\n').replaceAll('\r', '')).toMatchFileSnapshot(
      '../../fixtures/snapshots/refusals.txt',
    );
  });

  it('are known to Codex by their code alone, and to Gemini CLI not at all', () => {
    const knownBy = (rule: OverflowErrorRuleName) =>
      namesOfRefusals.filter((name) => isContextOverflow(errorOf(name), rule));
    expect(knownBy('codex')).toEqual(['openai', 'groq']);
    expect(knownBy('none')).toEqual([]);
  });

  it('have a body of JSON with the message in it, but for those that their client cannot read', () => {
    const unread = namesOfRefusals.filter((name) => {
      const { body, message } = errorOf(name);
      return body === undefined || !JSON.stringify(parsedOrText(body)).includes(asJson(message));
    });
    expect(unread).toEqual(['xai', 'cerebras', 'lm-studio']);
  });

  it('refuse, but for those that say nothing', () => {
    const silent = namesOfRefusals.filter((name) => refusals[name].kind === 'truncates');
    expect(silent).toEqual(['ollama-silent', 'zai-silent']);
    for (const name of namesOfRefusals.filter((each) => !silent.includes(each)))
      expect(refusals[name].keptTokens(size)).toBe(0);
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

/** Errors of another kind, of which some releases take some for an overflow. */
const OTHERS: readonly ProviderError[] = [
  openai(
    429,
    'Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.',
    'rate_limit_exceeded',
  ),
  openai(429, 'rate limit', 429),
  openai(429, 'Rate limit: too many tokens per minute', 429),
  openai(429, 'Throttling error: Too many tokens, please wait before trying again.', 429),
  // Every rule but the newest takes any limit with a number for that of the window.
  openai(429, 'Rate limit: 40000 tokens in a minute exceeds the limit of 30000', 429),
  openai(400, '`max_tokens` must be greater than `thinking.budget_tokens`', 400),
  openai(
    400,
    'Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
    400,
  ),
  openai(
    500,
    'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
    500,
  ),
  openai(401, 'Incorrect API key provided', 'invalid_api_key'),
  { message: '', statusCode: 503 },
  openai(
    413,
    'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.',
    'rate_limit_exceeded',
  ),
];

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
