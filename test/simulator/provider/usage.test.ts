import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countAll,
  countTotal,
  normaliseUsage,
  type Usage,
  type UsageRuleName,
  usageRules,
} from '../../../src/engine/index.ts';
import {
  createReporter,
  createReportReader,
  type DialectName,
  dialects,
  type ProviderReport,
  sdkOf,
  type ServedTokens,
  toSdkProvider,
  toSdkUsage,
} from '../../../src/simulator/provider/usage.ts';
import { requestTokensOf, served, servedTokens } from './served.ts';

const names = Object.keys(dialects) as DialectName[];
const reportOf = (name: DialectName, tokens: ServedTokens) =>
  createReporter(dialects[name]).report(tokens);
const reportsOf = (name: DialectName, steps: readonly ServedTokens[]) => {
  const reporter = createReporter(dialects[name]);
  return steps.map((tokens) => reporter.report(tokens));
};

/** Dialects with a number of their own for a single request. */
const reporting = names.filter((name) => dialects[name].presence === 'reported');
/** Input with the cached tokens, wherever a dialect has them. */
const inputOf = (report: ProviderReport | undefined) => {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = report ?? {};
  return inputTokens + cacheReadTokens + cacheWriteTokens;
};

/** 700 tokens sent, of which 650 were left; 100 written, 40 of them thoughts. */
const request = served([500, 150, 50], 100, { reasoningTokens: 40, keptTokens: 650 });

describe('createReporter', () => {
  it.each<
    [
      DialectName,
      input: number | undefined,
      output?: number,
      reasoning?: number | undefined,
      cacheRead?: number | undefined,
      cacheWrite?: number | undefined,
      total?: number,
    ]
  >([
    ['none', undefined],
    ['zero', 0, 0, 0, 0, undefined, 0],
    ['anthropic', 50, 100, undefined, 500, 150],
    ['bedrock', 50, 100, undefined, 500, 150, 800],
    ['openai', 700, 100, 40, 500, undefined, 800],
    ['google', 700, 60, 40, 500, undefined, 800],
    ['openai-compatible', 700, 100, 40, 500, undefined, 800],
    ['openai-compatible-cache-outside', 200, 100, 40, 500],
    ['ollama', 650, 100, undefined, undefined, undefined, 750],
    ['turn-cumulative', 50, 100, undefined, 500, 150],
    ['spikes', 50, 100, undefined, 500, 150],
    ['total-counts-cache-twice', 700, 100, undefined, 500, 150, 1_450],
  ])('%s', (name, inputTokens, outputTokens, reasoningTokens, ...rest) => {
    const [cacheReadTokens, cacheWriteTokens, totalTokens] = rest;
    const cache = { cacheReadTokens, cacheWriteTokens };
    const { client: _, ...told } = reportOf(name, request) ?? { client: undefined };
    expect(told).toEqual({ inputTokens, outputTokens, reasoningTokens, ...cache, totalTokens });
  });

  it('tells the client of each dialect', () => {
    for (const name of names.filter((each) => each !== 'none'))
      expect(reportOf(name, request)?.client).toBe(dialects[name].client);
  });

  it('sums the steps of a turn where a dialect does (B2), and begins anew with the next', () => {
    // Twelve calls of one turn; the last holds 164,000 tokens.
    const turn = Array.from({ length: 12 }, (_, index) => {
      return served([10_000 * index + 40_000, 10_000, 4_000], 50, { opensTurn: index === 0 });
    });
    const next = served([164_000, 0, 100], 7, { opensTurn: true });
    const reports = reportsOf('turn-cumulative', [...turn, next]);
    const contexts = reports.map((report) => {
      return report && report.inputTokens + report.cacheReadTokens! + report.cacheWriteTokens!;
    });
    expect(requestTokensOf(turn.at(-1)!)).toBe(164_000);
    expect(contexts.slice(-2)).toEqual([1_308_000, 164_100]);
    expect(reports.map((report) => report?.outputTokens).slice(-2)).toEqual([600, 7]);
  });

  it('doubles the input of every tenth step (B3)', () => {
    const step = served([900, 60, 40], 30);
    const reports = reportsOf('spikes', Array(21).fill(step));
    const spike = { inputTokens: 80, cacheReadTokens: 1_800, cacheWriteTokens: 120 };
    const plain = { inputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 60 };
    expect(reports[9]).toMatchObject({ ...spike, outputTokens: 30 });
    for (const [index, report] of reports.entries())
      expect(report).toMatchObject(index === 9 || index === 19 ? spike : plain);
  });

  it.each([
    ['little-coder#128', 45_000, 16_386],
    ['ollama#17427', 70_000, 32_770],
  ])('tells of less than was sent after a silent cut (B8): %s', (_, sentTokens, keptTokens) => {
    const cut = served([0, 0, keptTokens], 10, { sentTokens });
    expect(reportOf('ollama', cut)).toMatchObject({ inputTokens: keptTokens });
    for (const name of reporting.filter((each) => dialects[each].counts === 'sent'))
      expect(inputOf(reportOf(name, cut))).toBe(sentTokens);
  });

  it('tells whole numbers of at least 0, and the same for the same steps', () => {
    fc.assert(
      fc.property(
        fc.array(servedTokens, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(...names),
        (steps, name) => {
          const reports = reportsOf(name, steps);
          const numbers = reports.flatMap((report) => Object.values(report ?? {})).filter(isNumber);
          expect(numbers.every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true);
          expect(reportsOf(name, steps)).toEqual(reports);
        },
      ),
    );
  });
});

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

const rules = Object.keys(usageRules) as UsageRuleName[];
const NEWEST: UsageRuleName = 'v1.14.46';
const HONEST = ['anthropic', 'bedrock', 'openai', 'google', 'openai-compatible'] as const;
const reportOfSdk = (name: DialectName, tokens: ServedTokens) =>
  createReporter(dialects[name]).report(tokens)!;
/** What a release stores of the first request of a session. */
function storedBy(rule: UsageRuleName, name: DialectName, tokens: ServedTokens): Usage {
  return createReportReader(dialects[name], rule)(reportOfSdk(name, tokens));
}
const providerOf = ({ client, cacheWriteTokens }: ProviderReport) =>
  toSdkProvider(client, cacheWriteTokens);
const inputOfSdk = ({ input, cacheRead, cacheWrite }: Usage) => input + cacheRead + cacheWrite;
const requestOfSdk = served([500, 150, 50], 100, { reasoningTokens: 40 });

describe('sdkOf', () => {
  it('is generation 6 from the release on that moved to it', () => {
    const moved = rules.indexOf('v1.3.4-bug');
    expect(rules.map(sdkOf)).toEqual(rules.map((_, index) => (index < moved ? 5 : 6)));
  });
});

describe('createReportReader', () => {
  it('stores no cache writes where the rule does not know where they stand', () => {
    const bedrock = { ...dialects.bedrock, client: 'google' } as const;
    const report = { ...reportOfSdk('bedrock', requestOfSdk), client: 'google' } as const;
    expect(report.cacheWriteTokens).toBe(150);
    expect(createReportReader(bedrock, NEWEST)(report).cacheWrite).toBe(0);
  });

  it('knows Anthropic by cache writes that are told, and else takes cached tokens off', () => {
    const untold = { ...dialects.anthropic, writes: 'untold' } as const;
    const { cacheWriteTokens: _, ...report } = reportOfSdk('anthropic', requestOfSdk);
    expect(createReportReader(untold, 'v1.0.62')(report).input).toBe(50 - 500);
    expect(createReportReader(dialects.anthropic, 'v1.0.62')(report).input).toBe(50);
  });
});

describe('toSdkUsage', () => {
  it('has the numbers and the metadata of each dialect on each generation', async () => {
    const told = names
      .filter((name) => name !== 'none')
      .flatMap((name) => {
        const report = reportOfSdk(name, requestOfSdk);
        const of = ([5, 6] as const).map(
          (generation) => `  ${generation}: ${JSON.stringify(toSdkUsage(report, generation))}`,
        );
        return [`${name} ${JSON.stringify(providerOf(report))}`, ...of];
      });
    await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(
      '../../fixtures/snapshots/sdk-usage.txt',
    );
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
        expect(inputOfSdk(usage)).toBe(requestTokensOf(tokens));
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
    expect(reportOfSdk('total-counts-cache-twice', tokens).totalTokens).toBe(303_459);
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
