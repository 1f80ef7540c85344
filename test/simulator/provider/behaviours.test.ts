import { describe, expect, it } from 'vitest';
import {
  behaviourOf,
  isKnownProvider,
  type ProviderBehaviour,
} from '../../../src/simulator/provider/behaviours.ts';
import { cacheRules } from '../../../src/simulator/provider/cache-rules.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { clients, dialects } from '../../../src/simulator/provider/usage.ts';

const providers = [...new Set([...readCatalog().models.keys()].map((id) => id.split('/')[0]!))];

describe('behaviourOf', () => {
  it.each<[string, string, string, string]>([
    ['anthropic/claude-haiku-4-5', 'anthropic', 'anthropic-5m', 'anthropic'],
    ['openai/gpt-5-mini', 'openai', 'openai', 'openai'],
    ['openai/gpt-5.6', 'openai', 'openai-5.6', 'openai'],
    ['openai/gpt-5.6-luna', 'openai', 'openai-5.6', 'openai'],
    ['google/gemini-2.5-flash-lite', 'google', 'gemini', 'google'],
    ['azure/gpt-5.1', 'openai', 'openai', 'openai'],
    ['azure/gpt-5.6-luna', 'openai', 'openai-5.6', 'openai'],
    ['google-vertex/gemini-2.5-pro', 'google', 'gemini', 'google'],
    ['google-vertex-anthropic/claude-haiku-4-5', 'anthropic', 'anthropic-5m', 'anthropic'],
    ['deepseek/deepseek-chat', 'openai-compatible', 'deepseek', 'deepseek'],
    ['xai/grok-4.3', 'openai-compatible', 'openai', 'xai'],
    ['mistral/devstral-2512', 'openai-compatible', 'none', 'mistral'],
    ['moonshotai/kimi-k2.6', 'openai-compatible', 'openai', 'kimi'],
    ['zai/glm-4.7', 'openai-compatible', 'openai', 'zai'],
    ['alibaba/qwen-plus', 'openai-compatible', 'openai', 'dashscope'],
    ['minimax/MiniMax-M3', 'anthropic', 'anthropic-5m', 'minimax'],
    ['groq/llama', 'openai-compatible', 'openai', 'groq'],
    ['cerebras/llama', 'openai-compatible', 'none', 'cerebras'],
    ['github-copilot/gpt-5', 'openai-compatible', 'openai', 'copilot'],
    ['openrouter/deepseek/deepseek-chat', 'openai-compatible', 'openai', 'openrouter'],
    ['openrouter/anthropic/claude-haiku-4.5', 'openai-compatible', 'anthropic-5m', 'openrouter'],
    ['amazon-bedrock/anthropic.claude-haiku-4-5', 'bedrock', 'anthropic-5m', 'bedrock'],
    ['amazon-bedrock/us.openai.gpt-5.6-luna', 'total-counts-cache-twice', 'openai-5.6', 'bedrock'],
    ['ollama/qwen3', 'ollama', 'none', 'ollama-silent'],
    ['lmstudio/qwen/qwen3', 'openai-compatible', 'none', 'lm-studio'],
    ['llama.cpp/qwen3', 'openai-compatible', 'none', 'llama.cpp'],
    ['vllm/qwen3', 'openai-compatible', 'none', 'vllm'],
    ['somebody/gpt-5.6', 'openai-compatible', 'none', 'vllm'],
    ['gpt-5.6', 'openai-compatible', 'none', 'vllm'],
    ['__proto__/constructor', 'openai-compatible', 'none', 'vllm'],
    ['', 'openai-compatible', 'none', 'vllm'],
  ])('%s: %s, %s, %s', (modelId, dialect, cache, refusal) => {
    expect(behaviourOf(modelId)).toMatchObject({ dialect, cache, refusal });
  });

  it.each<[string, ProviderBehaviour['checks']]>([
    ['anthropic/any', ['calls-paired', 'ids-unique', 'text-well-formed', 'text-not-empty']],
    [
      'amazon-bedrock/any',
      ['calls-paired', 'ids-unique', 'text-well-formed', 'text-not-empty', 'user-first'],
    ],
    ['openai/any', ['calls-paired', 'ids-unique', 'text-well-formed', 'reasoning-followed']],
    ['google/any', ['calls-paired', 'ids-unique', 'text-well-formed', 'user-first']],
    ['azure/any', ['calls-paired', 'ids-unique', 'text-well-formed', 'reasoning-followed']],
    ['mistral/any', ['calls-paired', 'ids-unique', 'text-well-formed', 'roles-alternate']],
    ['zai/any', ['calls-paired', 'ids-unique', 'text-well-formed']],
    ['vllm/any', ['system-first', 'user-first', 'text-well-formed']],
    ['ollama/any', ['text-well-formed']],
    ['somebody/any', ['calls-paired', 'ids-unique', 'text-well-formed']],
  ])('%s demands %j', (modelId, expected) => {
    expect(behaviourOf(modelId).checks).toEqual(expected);
  });

  it.each<[string, string, number]>([
    ['anthropic/claude-haiku-4-5', 'anthropic-5m', 4_096],
    ['anthropic/claude-opus-4-6', 'anthropic-5m', 4_096],
    ['anthropic/claude-sonnet-4-5-20250929', 'anthropic-5m', 1_024],
    ['anthropic/claude-opus-4-20250514', 'anthropic-5m', 1_024],
    ['amazon-bedrock/anthropic.claude-haiku-4-5-20251001-v1:0', 'anthropic-5m', 4_096],
    ['amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic-5m', 1_024],
    ['openrouter/anthropic/claude-haiku-4.5', 'anthropic-5m', 4_096],
    ['openrouter/anthropic/claude-opus-4.5', 'anthropic-5m', 4_096],
    ['openrouter/anthropic/claude-sonnet-4.5', 'anthropic-5m', 1_024],
    ['google-vertex-anthropic/claude-haiku-4-5@20251001', 'anthropic-5m', 4_096],
    ['github-copilot/claude-haiku-4.5', 'openai', 1_024],
  ])('%s caches as %s, from %d tokens on', (modelId, cache, minimumTokens) => {
    const profile = createProfile(modelId, { contextTokens: 200_000 });
    expect(profile.behaviour.cache).toBe(cache);
    expect(profile.cache.minimumTokens).toBe(minimumTokens);
  });

  it('caps the bytes of those who speak as Anthropic does, at 32 mebibytes', () => {
    expect(behaviourOf('anthropic/any').maxRequestBytes).toBe(33_554_432);
    expect(behaviourOf('minimax/any').maxRequestBytes).toBe(33_554_432);
    expect(behaviourOf('openai/any')).not.toHaveProperty('maxRequestBytes');
  });

  it('knows every provider of the shipped catalogue', () => {
    const unknown = providers.filter(
      (provider) => behaviourOf(`${provider}/any`).refusal === behaviourOf('somebody/any').refusal,
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ['anthropic/any', true],
    ['vllm/any', true],
    ['azure/any', true],
    ['somebody/any', false],
    ['anthropic', true],
    ['', false],
  ])('knows the provider of %j: %s', (modelId, isKnown) => {
    expect(isKnownProvider(modelId)).toBe(isKnown);
  });

  it('talks to Anthropic, Bedrock, OpenAI and Google through the client of their dialect', () => {
    for (const provider of ['anthropic', 'amazon-bedrock', 'openai', 'google', 'minimax']) {
      const { dialect, npm } = behaviourOf(`${provider}/any`);
      expect(clients[dialects[dialect].client].npm).toBe(npm);
    }
  });

  it('bills writes where the dialect tells of them', () => {
    for (const provider of providers) {
      const { dialect, cache } = behaviourOf(`${provider}/any`);
      expect(cacheRules[cache].billsWrites).toBe(dialects[dialect].writes === 'told');
    }
  });
});
