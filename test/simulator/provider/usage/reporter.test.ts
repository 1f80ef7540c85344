import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DialectName, dialects } from '../../../../src/simulator/provider/usage/dialects.ts';
import {
  createReporter,
  type ProviderReport,
} from '../../../../src/simulator/provider/usage/reporter.ts';
import type { ServedTokens } from '../../../../src/simulator/provider/usage/served.ts';
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
  it.each<[DialectName, Partial<ProviderReport> | undefined]>([
    ['none', undefined],
    [
      'zero',
      { inputTokens: 0, outputTokens: 0, reasoningTokens: 0, cacheReadTokens: 0, totalTokens: 0 },
    ],
    [
      'anthropic',
      { inputTokens: 50, outputTokens: 100, cacheReadTokens: 500, cacheWriteTokens: 150 },
    ],
    [
      'bedrock',
      {
        inputTokens: 50,
        outputTokens: 100,
        cacheReadTokens: 500,
        cacheWriteTokens: 150,
        totalTokens: 800,
      },
    ],
    [
      'openai',
      {
        inputTokens: 700,
        outputTokens: 100,
        reasoningTokens: 40,
        cacheReadTokens: 500,
        totalTokens: 800,
      },
    ],
    [
      'google',
      {
        inputTokens: 700,
        outputTokens: 60,
        reasoningTokens: 40,
        cacheReadTokens: 500,
        totalTokens: 800,
      },
    ],
    [
      'openai-compatible',
      {
        inputTokens: 700,
        outputTokens: 100,
        reasoningTokens: 40,
        cacheReadTokens: 500,
        totalTokens: 800,
      },
    ],
    [
      'openai-compatible-cache-outside',
      { inputTokens: 200, outputTokens: 100, reasoningTokens: 40, cacheReadTokens: 500 },
    ],
    ['ollama', { inputTokens: 650, outputTokens: 100, totalTokens: 750 }],
    [
      'turn-cumulative',
      { inputTokens: 50, outputTokens: 100, cacheReadTokens: 500, cacheWriteTokens: 150 },
    ],
    ['spikes', { inputTokens: 50, outputTokens: 100, cacheReadTokens: 500, cacheWriteTokens: 150 }],
    [
      'total-counts-cache-twice',
      {
        inputTokens: 700,
        outputTokens: 100,
        cacheReadTokens: 500,
        cacheWriteTokens: 150,
        totalTokens: 1_450,
      },
    ],
  ])('%s', (name, expected) => {
    const { client: _, ...told } = reportOf(name, request) ?? { client: undefined };
    expect(told).toEqual(expected ?? {});
  });

  it('tells the client of each dialect', () => {
    for (const name of names.filter((each) => each !== 'none')) {
      expect(reportOf(name, request)?.client).toBe(dialects[name].client);
    }
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

  it('gives sums of a turn that nobody opened', () => {
    const reports = reportsOf('turn-cumulative', [served([0, 0, 10], 1), served([0, 0, 20], 2)]);
    expect(reports.map((report) => report?.inputTokens)).toEqual([10, 30]);
  });

  it('gives the sum of totals where a dialect has both', () => {
    const reporter = createReporter({ ...dialects.openai, scope: 'turn' });
    const told = [served([0, 0, 10], 1), served([0, 0, 20], 2)].map((step) =>
      reporter.report(step),
    );
    expect(told.map((report) => report?.totalTokens)).toEqual([11, 33]);
  });

  it('doubles the input of every tenth step (B3)', () => {
    const step = served([900, 60, 40], 30);
    const reports = reportsOf('spikes', Array(21).fill(step));
    const spike = { inputTokens: 80, cacheReadTokens: 1_800, cacheWriteTokens: 120 };
    const plain = { inputTokens: 40, cacheReadTokens: 900, cacheWriteTokens: 60 };
    expect(reports[9]).toMatchObject({ ...spike, outputTokens: 30 });
    for (const [index, report] of reports.entries()) {
      expect(report).toMatchObject(index === 9 || index === 19 ? spike : plain);
    }
  });

  it('raises a total with the input that it sums', () => {
    const spike = { everySteps: 1, factor: 3 };
    const report = createReporter({ ...dialects.openai, spike }).report(served([0, 0, 10], 5));
    expect(report).toMatchObject({ inputTokens: 30, totalTokens: 35 });
  });

  it.each([
    ['little-coder#128', 45_000, 16_386],
    ['ollama#17427', 70_000, 32_770],
  ])('tells of less than was sent after a silent cut (B8): %s', (_, sentTokens, keptTokens) => {
    const cut = served([0, 0, keptTokens], 10, { sentTokens });
    expect(reportOf('ollama', cut)).toMatchObject({ inputTokens: keptTokens });
    for (const name of reporting.filter((each) => dialects[each].counts === 'sent')) {
      expect(inputOf(reportOf(name, cut))).toBe(sentTokens);
    }
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
