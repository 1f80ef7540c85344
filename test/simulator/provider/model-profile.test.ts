import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { cacheRules } from '../../../src/simulator/provider/behaviours.ts';
import { createProfile, overrideProfile } from '../../../src/simulator/provider/model-profile.ts';
import { toPrompt } from '../../../src/simulator/provider/prompt.ts';
import { createService } from '../../../src/simulator/replay/service.ts';
import {
  type ProviderOverrides,
  windowTokensOf,
} from '../../../src/simulator/scenario/settings.ts';

const LIMITS = { contextTokens: 100_000, inputTokens: 80_000, outputTokens: 8_000 };
const base = createProfile('anthropic/claude', LIMITS);
const over = (overrides: ProviderOverrides, limits = LIMITS) =>
  overrideProfile(base, limits, overrides);

describe('overrideProfile', () => {
  it('changes nothing where nothing is said', () => {
    expect(overrideProfile(base, LIMITS)).toEqual(base);
  });

  it.each<[string, unknown, unknown, string]>([
    ['no limits', undefined, {}, 'Expected `limits` to be an object, got undefined.'],
    [
      'limits of another name',
      { context: 5 },
      {},
      'Expected `limits.contextTokens` to be a finite',
    ],
    [
      'a misspelt override',
      LIMITS,
      { dialct: 'openai' },
      "maxRequestBytes, cacheTtlMs, got 'dialct'.",
    ],
    ['a window of NaN', LIMITS, { trueContextTokens: Number.NaN }, '`overrides.trueContextTokens`'],
    ['one check for a list', LIMITS, { checks: 'ids-unique' }, '`overrides.checks` to be a list'],
  ])('takes no %s', (_name, limits, overrides, message) => {
    expect(() => overrideProfile(base, limits as never, overrides as never)).toThrow(TypeError);
    expect(() => overrideProfile(base, limits as never, overrides as never)).toThrow(message);
  });

  it('takes other limits for what is declared and what is true', () => {
    const limits = { contextTokens: 7 };
    const profile = overrideProfile(base, limits);
    expect(profile).toMatchObject({ limits, trueLimits: limits });
    // Reports tell of the true ones only where they are others.
    expect(profile.trueLimits).toBe(profile.limits);
  });

  // The cap on input holds unless the true window is less; a cap of its own may be given.
  it.each<[ProviderOverrides, over: object, windowTokens: number]>([
    [{}, {}, 80_000],
    [{ trueContextTokens: 100_000 }, {}, 80_000],
    [{ trueContextTokens: 50_000 }, { contextTokens: 50_000 }, 50_000],
    [{ trueContextTokens: 900_000 }, { contextTokens: 900_000 }, 80_000],
    [{ trueInputTokens: 300_000 }, { inputTokens: 300_000 }, 100_000],
    [{ trueInputTokens: 60_000 }, { inputTokens: 60_000 }, 60_000],
    [
      { trueContextTokens: 50_000, trueInputTokens: 40_000 },
      { contextTokens: 50_000, inputTokens: 40_000 },
      40_000,
    ],
  ])('the true window under %o has %o', (overrides, changed, windowTokens) => {
    const profile = over(overrides);
    expect(profile.limits).toEqual(LIMITS);
    expect(profile.trueLimits).toEqual({ ...LIMITS, ...changed });
    expect(windowTokensOf(profile.trueLimits)).toBe(windowTokens);
  });

  it('changes of the behaviour what is said, and nothing else', () => {
    const profile = over({
      dialect: 'none',
      cache: 'openai',
      refusal: 'vllm',
      checks: ['ids-unique'],
      maxRequestBytes: 9,
    });
    expect(profile.behaviour).toEqual({
      dialect: 'none',
      cache: 'openai',
      refusal: 'vllm',
      checks: ['ids-unique'],
      maxRequestBytes: 9,
      npm: '@ai-sdk/anthropic',
    });
    expect(profile.cache).toBe(cacheRules.openai);
    expect(over({ dialect: 'none' }).behaviour).toEqual({ ...base.behaviour, dialect: 'none' });
  });

  it.each<[string, ProviderOverrides, object]>([
    ['of the model', { cacheTtlMs: 9 }, { ...cacheRules['anthropic-5m'], ttlMs: 9 }],
    [
      'that is named beside it',
      { cacheTtlMs: 9, cache: 'gemini' },
      { ...cacheRules.gemini, ttlMs: 9 },
    ],
  ])('sets how long entries live in the cache %s', (_, overrides, cache) => {
    expect(over(overrides).cache).toEqual(cache);
  });

  it('leaves a cache as it was changed before, unless another one is named', () => {
    const changed = over({ cacheTtlMs: 9 });
    expect(overrideProfile(changed, LIMITS, { dialect: 'none' }).cache).toEqual(changed.cache);
    expect(overrideProfile(changed, LIMITS, { cache: 'openai' }).cache).toBe(cacheRules.openai);
  });

  it.each<[string, ProviderOverrides, number]>([
    ['anthropic-5m', {}, 4_096],
    ['anthropic-1h', {}, 4_096],
    ['anthropic-1h', { cacheTtlMs: 9 }, 4_096],
    ['openai', {}, 1_024],
    ['none', {}, 0],
  ])("keeps the model's own minimum in the cache %s with %j: %d", (cache, overrides, minimum) => {
    for (const id of ['anthropic/claude-haiku-4-5', 'somebody/claude-opus-4.6']) {
      const profile = overrideProfile(createProfile(id, LIMITS), LIMITS, { ...overrides, cache });
      expect(profile.cache.minimumTokens).toBe(minimum);
    }
  });

  it.each<[string, ProviderOverrides, string]>([
    ['dialect', { dialect: 'antropic' }, 'nearest: anthropic, bedrock, none. Expected one of: '],
    ['cache', { cache: 'anthropic' }, 'nearest: anthropic-1h, anthropic-5m, none. Expected'],
    ['refusal', { refusal: 'llamacpp' }, 'nearest: llama.cpp, ollama, ollama-silent.'],
    ['check', { checks: ['ids-unique', '__proto__'] }, 'nearest: user-first, ids-unique, '],
  ])('says which %s it does not know, and which there are', (name, overrides, message) => {
    expect(() => over(overrides)).toThrow(HarnessError);
    expect(() => over(overrides)).toThrow(new RegExp(`^Unknown ${name} '.*'; ${message}`));
  });
});

describe('createProfile', () => {
  it.each<[string, unknown[], string]>([
    ['id', [undefined, LIMITS], 'Expected `id` to be a text, got undefined.'],
    ['limits', ['a/b', { contextTokens: '64k' }], "0 or more, got '64k'."],
    ['prices by that name', ['a/b', LIMITS, { price: {} }], "than name, prices, got 'price'."],
    ['prices by the token', ['a/b', LIMITS, { prices: { input: 3 } }], '`options.prices.inputPico'],
  ])('makes none without %s', (_name, args, message) => {
    expect(() => createProfile(...(args as Parameters<typeof createProfile>))).toThrow(message);
  });
});

describe('the bytes of a request', () => {
  it.each<[number, number | undefined, string]>([
    [32, 32, 'served'],
    [33, 32, 'refused'],
    [1, 0, 'refused'],
    [34_200_000, undefined, 'served'],
  ])('%d of %s: %s', (bytes, maxRequestBytes, type) => {
    const { maxRequestBytes: _, ...own } = base.behaviour;
    const behaviour = maxRequestBytes === undefined ? own : { ...own, maxRequestBytes };
    const trace = { ownFaults: [], recordedCache: { ttlMs: undefined, isUnknown: false } };
    const service = createService({ ...base, behaviour }, policies.none, trace);
    const request = { prompt: toPrompt([], []), tokens: 0, bytes, fault: undefined };
    expect(service.send(request, 0)).toMatchObject({ type });
  });
});
