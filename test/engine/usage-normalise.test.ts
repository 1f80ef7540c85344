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

/** Input, output, cache writes and total of `reported` by each rule, worked out by hand. */
const table: readonly [string, UsageProvider, UsageRuleName, (number | undefined)[]][] = [
  ['OpenAI', openai, 'v1.0.61', [1_000, 500, 0, undefined]],
  ['OpenAI', openai, 'v1.0.62', [800, 500, 0, undefined]],
  ['OpenAI', openai, 'v1.1.37', [800, 500, 0, undefined]],
  ['OpenAI', openai, 'v1.1.57', [800, 500, 0, 1_500]],
  ['OpenAI', openai, 'v1.3.4-bug', [800, 500, 0, 1_500]],
  ['OpenAI', openai, 'v1.3.6', [800, 500, 0, 1_500]],
  ['OpenAI', openai, 'v1.3.12', [800, 500, 0, 1_500]],
  ['OpenAI', openai, 'v1.3.16', [800, 400, 0, 1_500]],
  ['OpenAI', openai, 'v1.14.46', [800, 400, 0, 1_500]],
  ['Anthropic', anthropic, 'v1.0.61', [1_000, 500, 300, undefined]],
  ['Anthropic', anthropic, 'v1.0.62', [1_000, 500, 300, undefined]],
  ['Anthropic', anthropic, 'v1.1.37', [1_000, 500, 300, undefined]],
  ['Anthropic', anthropic, 'v1.1.57', [1_000, 500, 300, 2_000]],
  ['Anthropic', anthropic, 'v1.3.4-bug', [1_000, 500, 300, 2_000]],
  ['Anthropic', anthropic, 'v1.3.6', [500, 500, 300, 1_500]],
  ['Anthropic', anthropic, 'v1.3.16', [500, 400, 300, 1_500]],
  ['Bedrock', bedrock, 'v1.0.61', [1_000, 500, 300, undefined]],
  ['Bedrock', bedrock, 'v1.1.37', [1_000, 500, 300, undefined]],
  ['Bedrock', bedrock, 'v1.1.57', [1_000, 500, 300, 2_000]],
  ['Bedrock', bedrock, 'v1.3.6', [500, 500, 300, 1_500]],
  ['Vertex', vertex, 'v1.1.57', [800, 500, 0, 1_500]],
  ['Vertex', vertex, 'v1.3.6', [800, 500, 0, 1_500]],
  ['Vertex', vertex, 'v1.3.12', [500, 500, 300, 1_500]],
  ['Venice', venice, 'v1.0.62', [800, 500, 0, undefined]],
  ['Venice', venice, 'v1.1.37', [500, 500, 300, undefined]],
  ['Venice', venice, 'v1.1.57', [500, 500, 300, 1_500]],
  ['Venice', venice, 'v1.3.6', [500, 500, 300, 1_500]],
];

describe('normaliseUsage', () => {
  it('has every rule in the table of this file', () => {
    expect(new Set(table.map(([, , rule]) => rule))).toEqual(new Set(rules));
  });

  it.each(table)('%s %j by %s', (_, provider, rule, expected) => {
    const usage = normaliseUsage(reported, provider, rule);
    expect([usage.input, usage.output, usage.cacheWrite, usage.total]).toEqual(expected);
    expect(usage).toMatchObject({ reasoning: 100, cacheRead: 200 });
  });

  it.each<[string, unknown[], string]>([
    [
      'no usage',
      [undefined, {}, 'v1.14.46'],
      'Expected `reported` to be an object, got undefined.',
    ],
    ['tokens in words', [{ inputTokens: '5' }, {}, 'v1.3.6'], '`reported.inputTokens` to be a num'],
    ['no provider', [reported, undefined, 'v1.3.6'], 'Expected `provider` to be an object'],
    ['another release', [reported, {}, 'v9'], "Expected `ruleName` to be one of 'v1.0.61', "],
  ])('takes %s for none', (_name, args, message) => {
    const call = () => normaliseUsage(...(args as Parameters<typeof normaliseUsage>));
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  it('takes the first place that names cache writes, also if it names 0', () => {
    const metadata = {
      anthropic: { cacheCreationInputTokens: 0 },
      vertex: { cacheCreationInputTokens: 300 },
    };
    expect(normaliseUsage(reported, { metadata }, 'v1.14.46').cacheWrite).toBe(0);
  });

  it.each<[string, UsageProvider, number]>([
    ['Anthropic', anthropic, 2_000],
    ['Bedrock', bedrock, 2_000],
    ['Vertex', vertex, 1_500],
    ['Venice', venice, 7],
    ['OpenAI', openai, 7],
    ['an unknown package', {}, 7],
  ])('v1.1.57: the total of %s', (_, provider, total) => {
    expect(normaliseUsage({ ...reported, totalTokens: 7 }, provider, 'v1.1.57').total).toBe(total);
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
