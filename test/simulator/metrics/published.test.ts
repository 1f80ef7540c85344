import { describe, expect, it } from 'vitest';
import { judgePublished, pooledQuantile } from '../../../src/simulator/metrics/published.ts';
import { findWorkload, type Published } from '../../../src/simulator/scenario/workload/workload.ts';
import type {
  SessionSample,
  StepSample,
} from '../../../src/simulator/session/statistics/sample-session.ts';
import { generateSamples } from '../scenario/workload/sessions.ts';

const [base] = generateSamples(findWorkload('codex'), 1);
const PRICES = { inputPicoUsd: 10, outputPicoUsd: 50, cacheReadPicoUsd: 1 };

const step = (context: number, read: number, growth?: number): StepSample => ({
  toolCalls: 1,
  writtenCharacters: 40,
  contextTokens: context,
  cacheReadTokens: read,
  growthTokens: growth,
  outputTokens: 20,
});
const full: SessionSample['compactions'][number] = {
  kind: 'full',
  trigger: 'auto',
  tokensBefore: 900,
  tokensAfter: 100,
  summaryTokens: 10,
  stepsBefore: 2,
  toolOutputsBefore: 1,
};
/** Two turns of two steps each; the context falls before the third, and for no reason before the last. */
const session: SessionSample = {
  ...base!,
  turns: [2, 2].map((steps) => ({ contentTokens: 1, toolOutputTokens: 0, toolCalls: 3, steps })),
  steps: [step(100, 0), step(400, 300, 300), step(200, 50), step(100, 90, -100)],
  gaps: { beforeUser: [10, 400, 4_000], model: [], toolsAndModel: [] },
  compactions: [full],
};

const judge = (published: Published, count = 12, own = session) =>
  judgePublished(
    Array.from({ length: count }, () => own),
    [published],
    { seed: 1, prices: PRICES },
  )[0]!;
const at = (value: number, tolerance?: number) => ({
  low: value,
  high: value,
  ...(tolerance !== undefined && { tolerance }),
});

describe('judgePublished', () => {
  it.each<[Published, number]>([
    [{ figure: 'requestsPerSession', statistic: 'mean', ...at(2) }, 2],
    [{ figure: 'toolStepsPerSession', statistic: 'p50', ...at(2) }, 2],
    [{ figure: 'toolStepsPerRequest', statistic: 'p90', ...at(1) }, 1],
    [{ figure: 'callsPerRequest', statistic: 'mean', ...at(3) }, 3],
    [{ figure: 'prefixTokens', statistic: 'p50', ...at(50) }, 50],
    [{ figure: 'prefixTokens', statistic: 'p99', ...at(300) }, 300],
    [{ figure: 'appendedTokens', statistic: 'mean', ...at(90) }, 90],
    [{ figure: 'growthTokens', statistic: 'mean', ...at(300) }, 300],
    [{ figure: 'compactionsWhereAny', statistic: 'mean', ...at(1) }, 1],
    [{ figure: 'compactingSessions', ...at(100) }, 100],
    [{ figure: 'compactionsAmongTools', ...at(0) }, 0],
    [{ figure: 'shrinkingSteps', ...at(50) }, 50],
    [{ figure: 'cacheRead', ...at(55) }, 55],
    [{ figure: 'cacheReadBehindUser', ...at(100 / 6) }, 100 / 6],
    [{ figure: 'cacheReadBehindTools', ...at(78) }, 78],
    [{ figure: 'waitsUpToFiveMinutes', ...at(100 / 3) }, 100 / 3],
    [{ figure: 'waitsUpToAnHour', ...at(200 / 3) }, 200 / 3],
    [{ figure: 'spentOnPrefix', ...at(5.5) }, (100 * 440) / (440 + 3_600 + 4_000)],
    [{ figure: 'spentOnOutput', ...at(50) }, (100 * 4_000) / (440 + 3_600 + 4_000)],
  ])('works out %j', (published, value) => {
    expect(judge(published).generated?.value).toBeCloseTo(value, 9);
  });

  it.each<[string, Published, boolean]>([
    ['a figure that is met', { figure: 'cacheRead', ...at(55) }, true],
    ['one below', { figure: 'cacheRead', ...at(56) }, false],
    ['one above', { figure: 'cacheRead', ...at(54) }, false],
    ['one within a range', { figure: 'cacheRead', low: 50, high: 60 }, true],
    ['one outside of a range', { figure: 'cacheRead', low: 56, high: 60 }, false],
    ['one within the tolerance below', { figure: 'cacheRead', ...at(57, 2) }, true],
    ['one within the tolerance above', { figure: 'cacheRead', ...at(53, 2) }, true],
    ['one outside of the tolerance', { figure: 'cacheRead', ...at(58, 2) }, false],
  ])('judges %s', (_, published, isWithin) => {
    expect(judge(published).isWithin).toBe(isWithin);
  });

  it('judges nothing by few sessions, and tells no share of nothing', () => {
    expect(judge({ figure: 'cacheRead', ...at(55) }, 9)).toMatchObject({
      generated: { interval: null },
      isWithin: null,
    });
    const silent = { ...session, compactions: [] };
    expect(judge({ figure: 'compactionsAmongTools', ...at(80) }, 12, silent).generated).toBeNull();
    const where: Published = { figure: 'compactionsWhereAny', statistic: 'p90', ...at(1) };
    expect(judge(where, 12, silent).generated).toBeNull();
  });

  it('has intervals over sessions, not over steps', () => {
    const quiet = {
      ...session,
      steps: session.steps.map((each) => ({ ...each, cacheReadTokens: 0 })),
    };
    const mixed = Array.from({ length: 20 }, (_, index) => (index < 10 ? session : quiet));
    const published: Published = { figure: 'cacheRead', ...at(27.5) };
    const [judged] = judgePublished(mixed, [published], { seed: 1, prices: PRICES });
    const { low, high } = judged!.generated!.interval!;
    expect([low < 20, high > 35, judged!.isWithin]).toEqual([true, true, true]);
  });
});

const options = { seed: 1, resamples: 400 };
const clusters = (count: number, of: (index: number) => readonly number[]) =>
  Array.from({ length: count }, (_, index) => of(index));

describe('pooledQuantile', () => {
  it.each<[string, readonly (readonly number[])[], number, number]>([
    ['the middle of all numbers', [[1, 2], [3, 4], [5]], 0.5, 3],
    ['the largest at the end', [[1, 2], [3, 4], [5]], 1, 5],
    ['the smallest at the start', [[4], [2]], 0, 2],
    ['long clusters by all of their numbers', [[9, 9, 9, 9, 9], [1]], 0.5, 9],
  ])('is %s', (_, numbers, share, value) => {
    expect(pooledQuantile(numbers, share, options)?.value).toBe(value);
  });

  it('is absent without a number, and without an interval where few clusters have any', () => {
    expect(pooledQuantile([[], []], 0.5, options)).toBeUndefined();
    const few = clusters(30, (index) => (index < 9 ? [index] : []));
    expect(pooledQuantile(few, 0.5, options)?.interval).toBeNull();
  });

  it('has an interval as wide as the clusters differ', () => {
    const same = pooledQuantile(
      clusters(12, () => [1, 2, 3]),
      0.5,
      options,
    );
    expect(same?.interval).toEqual({ low: 2, high: 2 });
    const apart = pooledQuantile(
      clusters(12, (index) => [index, index]),
      0.5,
      options,
    );
    expect(apart!.interval!.low).toBeLessThan(4);
    expect(apart!.interval!.high).toBeGreaterThan(7);
  });
});
