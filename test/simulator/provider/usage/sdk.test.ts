import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countAll,
  countTotal,
  normaliseUsage,
  type Usage,
  type UsageRuleName,
  usageRules,
} from '../../../../src/engine/index.ts';
import { type DialectName, dialects } from '../../../../src/simulator/provider/usage/dialects.ts';
import {
  createReporter,
  type ProviderReport,
} from '../../../../src/simulator/provider/usage/reporter.ts';
import {
  createReportReader,
  sdkOf,
  toSdkProvider,
  toSdkUsage,
} from '../../../../src/simulator/provider/usage/sdk.ts';
import type { ServedTokens } from '../../../../src/simulator/provider/usage/served.ts';
import { requestTokensOf, served, servedTokens } from './served.ts';

const names = Object.keys(dialects) as DialectName[];
const rules = Object.keys(usageRules) as UsageRuleName[];
const NEWEST: UsageRuleName = 'v1.14.46';
const HONEST = ['anthropic', 'bedrock', 'openai', 'google', 'openai-compatible'] as const;

const reportOf = (name: DialectName, tokens: ServedTokens) =>
  createReporter(dialects[name]).report(tokens)!;
/** What a release stores of the first request of a session. */
function storedBy(rule: UsageRuleName, name: DialectName, tokens: ServedTokens): Usage {
  return createReportReader(dialects[name], rule)(reportOf(name, tokens));
}
const providerOf = ({ client, cacheWriteTokens }: ProviderReport) =>
  toSdkProvider(client, cacheWriteTokens);
const inputOf = ({ input, cacheRead, cacheWrite }: Usage) => input + cacheRead + cacheWrite;

const request = served([500, 150, 50], 100, { reasoningTokens: 40 });

describe('sdkOf', () => {
  it('is generation 6 from the release on that moved to it', () => {
    const moved = rules.indexOf('v1.3.4-bug');
    expect(rules.map(sdkOf)).toEqual(rules.map((_, index) => (index < moved ? 5 : 6)));
  });
});

describe('createReportReader', () => {
  it('stores no cache writes where the rule does not know where they stand', () => {
    const bedrock = { ...dialects.bedrock, client: 'google' } as const;
    const report = { ...reportOf('bedrock', request), client: 'google' } as const;
    expect(report.cacheWriteTokens).toBe(150);
    expect(createReportReader(bedrock, NEWEST)(report).cacheWrite).toBe(0);
  });

  it('knows Anthropic by cache writes that are told, and else takes cached tokens off', () => {
    const untold = { ...dialects.anthropic, writes: 'untold' } as const;
    const { cacheWriteTokens: _, ...report } = reportOf('anthropic', request);
    expect(createReportReader(untold, 'v1.0.62')(report).input).toBe(50 - 500);
    expect(createReportReader(dialects.anthropic, 'v1.0.62')(report).input).toBe(50);
  });
});

describe('toSdkUsage', () => {
  it.each<[DialectName, 5 | 6, object, object]>([
    ['anthropic', 5, { inputTokens: 50, outputTokens: 100 }, { npm: '@ai-sdk/anthropic' }],
    [
      'anthropic',
      6,
      { inputTokens: 700, outputTokens: 100, totalTokens: 800 },
      { metadata: { anthropic: { cacheCreationInputTokens: 150 } } },
    ],
    [
      'bedrock',
      5,
      { inputTokens: 50, totalTokens: 800 },
      {
        npm: '@ai-sdk/amazon-bedrock',
        metadata: { bedrock: { usage: { cacheWriteInputTokens: 150 } } },
      },
    ],
    ['bedrock', 6, { inputTokens: 700, totalTokens: 800 }, { npm: '@ai-sdk/amazon-bedrock' }],
    ['openai', 5, { inputTokens: 700, outputTokens: 100, totalTokens: 800 }, {}],
    ['openai', 6, { inputTokens: 700, outputTokens: 100, totalTokens: 800 }, {}],
    ['google', 5, { outputTokens: 60, reasoningTokens: 40, totalTokens: 800 }, {}],
    ['google', 6, { outputTokens: 100, reasoningTokens: 40, totalTokens: 800 }, {}],
    ['openai-compatible-cache-outside', 5, { inputTokens: 200, totalTokens: undefined }, {}],
    ['openai-compatible-cache-outside', 6, { inputTokens: 200, totalTokens: 300 }, {}],
    ['total-counts-cache-twice', 5, { inputTokens: 700, totalTokens: 1_450 }, {}],
    ['total-counts-cache-twice', 6, { inputTokens: 1_350, totalTokens: 1_450 }, {}],
    ['ollama', 6, { inputTokens: 700, cacheReadTokens: undefined }, {}],
  ])('%s on generation %d', (name, generation, usage, provider) => {
    const report = reportOf(name, request);
    expect(toSdkUsage(report, generation)).toMatchObject(usage);
    expect(providerOf(report)).toMatchObject(provider);
  });

  it('has metadata exactly where cache writes are told', () => {
    const withMetadata = (['openai', 'google', 'anthropic', 'ollama', 'bedrock'] as const).filter(
      (name) => 'metadata' in providerOf(reportOf(name, request)),
    );
    expect(withMetadata).toEqual(['anthropic', 'bedrock']);
  });
});

describe('createReportReader', () => {
  it('stores what the rule makes of the numbers and the metadata of each report', () => {
    fc.assert(
      fc.property(
        servedTokens,
        fc.constantFrom(...names),
        fc.constantFrom(...rules),
        (tokens, name, rule) => {
          const report = createReporter(dialects[name]).report(tokens);
          fc.pre(report !== undefined);
          const usage = toSdkUsage(report, sdkOf(rule));
          const stored = createReportReader(dialects[name], rule)(report);
          expect(stored).toStrictEqual(normaliseUsage(usage, providerOf(report), rule));
        },
      ),
    );
  });
});

describe('what a release stores', () => {
  it('is the true tokens for every honest dialect', () => {
    fc.assert(
      fc.property(servedTokens, fc.constantFrom(...HONEST), (tokens, name) => {
        const usage = storedBy(NEWEST, name, tokens);
        expect(inputOf(usage)).toBe(requestTokensOf(tokens));
        expect(usage.cacheRead).toBe(tokens.split.readTokens);
        expect(usage.output + usage.reasoning).toBe(tokens.outputTokens);
        expect(usage.total).toBe(requestTokensOf(tokens) + tokens.outputTokens);
      }),
    );
  });

  /** B1: the same request, 183,936 of its 184,704 tokens read from the cache. */
  const warm = served([183_936, 0, 768], 49);

  it.each<[DialectName, UsageRuleName, number]>([
    ['anthropic', NEWEST, 184_753],
    ['openai', NEWEST, 184_753],
    ['openai-compatible', NEWEST, 184_753],
    ['anthropic', 'v1.0.61', 184_753],
    ['openai', 'v1.0.61', 368_689],
    ['openai-compatible', 'v1.0.61', 368_689],
    ['openai', 'v1.0.62', 184_753],
    ['anthropic', 'v1.3.4-bug', 368_689],
    // It left the cached tokens out already; they are taken off once more.
    ['openai-compatible-cache-outside', NEWEST, 183_985],
  ])('B1: %s by %s counts %d', (name, rule, expected) => {
    expect(countAll(storedBy(rule, name, warm))).toBe(expected);
  });

  it('B1: counts only the fresh tokens where a release trusts the total of a cache left out', () => {
    const usage = storedBy(NEWEST, 'openai-compatible-cache-outside', warm);
    expect(usage).toMatchObject({ input: 0, cacheRead: 183_936, total: 817 });
  });

  it.each<[UsageRuleName, number]>([
    ['v1.1.57', 139_640],
    ['v1.3.4-bug', 279_057],
    ['v1.3.6', 139_640],
  ])('opencode#19757: Anthropic by %s counts %d', (rule, expected) => {
    const mostlyCached = served([121_417, 18_000, 82], 141);
    expect(countTotal(storedBy(rule, 'anthropic', mostlyCached))).toBe(expected);
  });

  it('opencode#47296: the cache counts twice in the total and in what is left of the input', () => {
    const tokens = served([132_976, 18_433, 2], 639);
    expect(storedBy(NEWEST, 'total-counts-cache-twice', tokens)).toEqual({
      input: 151_411,
      output: 639,
      reasoning: 0,
      cacheRead: 132_976,
      cacheWrite: 18_433,
      total: 303_459,
    });
    expect(storedBy(NEWEST, 'bedrock', tokens)).toMatchObject({ input: 2, total: 152_050 });
    expect(reportOf('total-counts-cache-twice', tokens).totalTokens).toBe(303_459);
  });

  it('B2: counts a turn of requests below 180,000 tokens as 931,132', () => {
    const reporter = createReporter(dialects['turn-cumulative']);
    const contexts = [146_000, 149_000, 152_500, 155_800, 160_000, 164_000];
    const reports = contexts.map((context, index) => {
      const step = served([context - 3_000, 2_500, 500], index === 0 ? 3_632 : 40);
      return reporter.report({ ...step, opensTurn: index === 0 })!;
    });
    expect(
      countTotal(createReportReader(dialects['turn-cumulative'], NEWEST)(reports.at(-1)!)),
    ).toBe(931_132);
  });

  it('B7: is 0 in every kind where a provider tells zeros', () => {
    expect(countTotal(storedBy(NEWEST, 'zero', warm))).toBe(0);
  });

  it('B8: never counts more than a cut left, however much is sent', () => {
    const cut = served([0, 0, 400_000], 20, { keptTokens: 16_386 });
    expect(countTotal(storedBy(NEWEST, 'ollama', cut))).toBe(16_406);
  });
});
