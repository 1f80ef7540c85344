import { describe, expect, it } from 'vitest';
import {
  normaliseUsage,
  type ReportedUsage,
  type UsageProvider,
  type UsageRuleName,
  usageRules,
} from '../../src/engine/index.ts';

const rules = Object.keys(usageRules) as UsageRuleName[];
const reported: ReportedUsage = {
  inputTokens: 1_000,
  outputTokens: 500,
  reasoningTokens: 100,
  cacheReadTokens: 200,
  totalTokens: 1_500,
};
const anthropic: UsageProvider = {
  npm: '@ai-sdk/anthropic',
  metadata: { anthropic: { cacheCreationInputTokens: 300 } },
};
const bedrock: UsageProvider = {
  npm: '@ai-sdk/amazon-bedrock',
  metadata: { bedrock: { usage: { cacheWriteInputTokens: 300 } } },
};
const vertex: UsageProvider = {
  npm: '@ai-sdk/google-vertex/anthropic',
  metadata: { vertex: { cacheCreationInputTokens: 300 } },
};
const venice: UsageProvider = {
  npm: 'venice-ai-sdk-provider',
  metadata: { venice: { usage: { cacheCreationInputTokens: 300 } } },
};
const openai: UsageProvider = { npm: '@ai-sdk/openai' };

describe('normaliseUsage', () => {
  it('stores what each provider reports as each rule has it', async () => {
    const providers = { openai, anthropic, bedrock, vertex, venice, unknown: {} };
    const lines = Object.entries(providers).flatMap(([name, provider]) =>
      rules.map((rule) => {
        const { input, output, cacheWrite, total, ...rest } = normaliseUsage(
          reported,
          provider,
          rule,
        );
        expect(rest).toEqual({ reasoning: 100, cacheRead: 200 });
        const told = normaliseUsage({ ...reported, totalTokens: 7 }, provider, rule).total;
        const totals = `total ${total}, of 7 ${told}`;
        return `${name} by ${rule}: input ${input}, output ${output}, cache writes ${cacheWrite}, ${totals}`;
      }),
    );
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
      '../fixtures/snapshots/engine-usage-rules.txt',
    );
  });

  it('takes the first place that names cache writes, also if it names 0', () => {
    const metadata = {
      anthropic: { cacheCreationInputTokens: 0 },
      vertex: { cacheCreationInputTokens: 300 },
    };
    expect(normaliseUsage(reported, { metadata }, 'v1.14.46').cacheWrite).toBe(0);
  });

  it('counts what is not reported as 0, and leaves an unknown total out', () => {
    for (const rule of rules) {
      expect(normaliseUsage({}, {}, rule)).toStrictEqual({
        input: 0,
        output: 0,
        reasoning: 0,
        cacheRead: 0,
        cacheWrite: 0,
      });
    }
  });

  it.each<[UsageRuleName, number, number]>([
    ['v1.0.62', -100, 100],
    ['v1.3.12', -100, 100],
    ['v1.3.16', -100, -42],
    ['v1.14.46', 0, 0],
  ])('%s: more cache than input, more reasoning than output', (rule, input, output) => {
    const odd = { inputTokens: 100, outputTokens: 100, cacheReadTokens: 200, reasoningTokens: 142 };
    expect(normaliseUsage(odd, {}, rule)).toMatchObject({ input, output });
  });

  it.each<[UsageRuleName, number]>([
    ['v1.0.62', Number.NaN],
    ['v1.1.37', 0],
    ['v1.14.46', 0],
  ])('%s: a number that is none is %s', (rule, input) => {
    expect(normaliseUsage({ inputTokens: Number.NaN }, {}, rule).input).toBe(input);
  });

  it('is not fooled by metadata of another form', () => {
    const metadata = { anthropic: 'yes', bedrock: null, venice: { usage: [] }, vertex: 3 };
    expect(normaliseUsage(reported, { metadata }, 'v1.14.46').cacheWrite).toBe(0);
  });
});
