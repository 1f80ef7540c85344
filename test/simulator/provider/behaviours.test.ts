import { describe, expect, it } from 'vitest';
import {
  behaviourOf,
  cacheRules,
  isKnownProvider,
} from '../../../src/simulator/provider/behaviours.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { clients, dialects } from '../../../src/simulator/provider/usage.ts';

const providers = [...new Set([...readCatalog().models.keys()].map((id) => id.split('/')[0]!))];

const MODELS: readonly string[] = [
  'anthropic/claude-haiku-4-5',
  'openai/gpt-5-mini',
  'openai/gpt-5.6',
  'openai/gpt-5.6-luna',
  'google/gemini-2.5-flash-lite',
  'azure/gpt-5.1',
  'azure/gpt-5.6-luna',
  'google-vertex/gemini-2.5-pro',
  'google-vertex-anthropic/claude-haiku-4-5',
  'deepseek/deepseek-chat',
  'xai/grok-4.3',
  'mistral/devstral-2512',
  'moonshotai/kimi-k2.6',
  'zai/glm-4.7',
  'alibaba/qwen-plus',
  'minimax/MiniMax-M3',
  'groq/llama',
  'cerebras/llama',
  'github-copilot/gpt-5',
  'openrouter/deepseek/deepseek-chat',
  'openrouter/anthropic/claude-haiku-4.5',
  'amazon-bedrock/anthropic.claude-haiku-4-5',
  'amazon-bedrock/us.openai.gpt-5.6-luna',
  'ollama/qwen3',
  'lmstudio/qwen/qwen3',
  'llama.cpp/qwen3',
  'vllm/qwen3',
  'somebody/gpt-5.6',
  'gpt-5.6',
  '__proto__/constructor',
  'anthropic/any',
  'amazon-bedrock/any',
  'openai/any',
  'google/any',
  'azure/any',
  'mistral/any',
  'zai/any',
  'vllm/any',
  'ollama/any',
  'somebody/any',
  'anthropic/claude-opus-4-6',
  'anthropic/claude-sonnet-4-5-20250929',
  'anthropic/claude-opus-4-20250514',
  'amazon-bedrock/anthropic.claude-haiku-4-5-20251001-v1:0',
  'amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
  'openrouter/anthropic/claude-opus-4.5',
  'openrouter/anthropic/claude-sonnet-4.5',
  'google-vertex-anthropic/claude-haiku-4-5@20251001',
  'github-copilot/claude-haiku-4.5',
  '',
];

describe('behaviourOf', () => {
  it('is known by provider and model', async () => {
    const told = MODELS.map((id) => {
      const { dialect, cache, refusal, checks, maxRequestBytes = '–' } = behaviourOf(id);
      const { minimumTokens } = createProfile(id, { contextTokens: 200_000 }).cache;
      const known = isKnownProvider(id) ? '' : ' (unknown provider)';
      return `${id}${known}: ${dialect}, ${cache} from ${minimumTokens}, ${refusal}, ${checks.join(' ')}, ${maxRequestBytes}\n`;
    });
    await expect(told.join('')).toMatchFileSnapshot('../../fixtures/snapshots/behaviours.txt');
  });

  it('knows every provider of the shipped catalogue', () => {
    const unknown = providers.filter(
      (provider) => behaviourOf(`${provider}/any`).refusal === behaviourOf('somebody/any').refusal,
    );
    expect(unknown).toEqual([]);
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
