import { describe, expect, it } from 'vitest';
import type { Prices } from '../../../../src/simulator/provider/prices.ts';
import { predictSession } from '../../../../src/simulator/replay/predict/predict.ts';
import type { PredictedStep } from '../../../../src/simulator/replay/predict/step.ts';
import { contextTokensOf, type Session } from '../../../../src/simulator/session/session.ts';
import { countCharacters, usageOf, withModel, withUsage, worldOf } from './world.ts';

const SIZES = [10, 70, 31, 4, 200, 55, 9, 320, 18, 44, 260, 81];
const HOUR_MS = 3_600_000;
const prices: Prices = {
  inputPicoUsd: 5_000_000,
  outputPicoUsd: 25_000_000,
  cacheReadPicoUsd: 500_000,
  cacheWritePicoUsd: 6_250_000,
  tiers: [],
};
const predict = (session: Session, known: Prices | undefined = prices) =>
  predictSession(session, { count: countCharacters, pricesOf: () => known });
/** What the recorder was billed. */
const costsOf = (session: Session) =>
  new Map(
    session.messages.flatMap((message) => {
      if (message.role === 'user' || message.usage === undefined) return [];
      const { input, cacheRead, cacheWrite } = message.usage;
      const inputNanoUsd = input * 5_000 + cacheRead * 500 + cacheWrite * 6_250;
      return [[message.id, { inputNanoUsd, outputNanoUsd: 1 }] as const];
    }),
  );
const sharesOf = (session: Session) =>
  predict(session).map(({ cacheShare }) => cacheShare && Math.sign(cacheShare.predicted));
const billedIdsOf = (steps: readonly PredictedStep[]) =>
  steps.flatMap(({ messageId, inputCost }) => (inputCost === undefined ? [] : [messageId]));
const surprisesOf = (session: Session) => predict(session).map(({ surprise }) => surprise);

describe('what is predicted of a step', () => {
  const world = worldOf({ sizes: SIZES });
  const billed = { ...world, recordedCosts: costsOf(world) };

  it.each(['m3', 'm5', 'm7', 'm9', 'm11'])('does not rest on its own usage: %s', (id) => {
    const predictedOf = (session: Session) => {
      const { contextNext, contextFree, cacheShare, inputCost } =
        predict(session).find(({ messageId }) => messageId === id) ?? {};
      return [contextNext, contextFree, cacheShare, inputCost].map((each) => each?.predicted);
    };
    const changed = withUsage(billed, id, usageOf(70_000, 9_000, 800));
    expect(predictedOf(changed)).toEqual(predictedOf(billed));
  });
});

describe('cache reads', () => {
  it('are exact where the provider caches all that was sent', () => {
    for (const { cacheShare } of predict(worldOf({ sizes: SIZES })).slice(3)) {
      expect(cacheShare?.predicted).toBe(cacheShare?.recorded);
      expect(cacheShare?.predicted).toBeGreaterThan(0.8);
    }
  });

  it.each<[string, Partial<Session>, number, number]>([
    ['within five minutes', {}, 150, 1],
    ['not after five minutes', {}, 151, 0],
    ['within an hour where that was asked for', { cacheTtlMs: HOUR_MS }, 1_800, 1],
    ['not after an hour', { cacheTtlMs: HOUR_MS }, 1_801, 0],
    ['within five minutes where that was asked for', { cacheTtlMs: HOUR_MS / 12 }, 150, 1],
    ['not after that', { cacheTtlMs: HOUR_MS / 12 }, 151, 0],
  ])('are predicted %s', (_, over, gapSeconds, sign) => {
    const shares = sharesOf(worldOf({ sizes: [1, 2, 3, 4], gapSeconds, ...over }));
    expect(shares).toEqual([sign]);
  });

  it('reach as far as the step before had read or written, not to what it had fresh', () => {
    const session = withUsage(worldOf({ sizes: [1, 2, 3, 4] }), 'm1', usageOf(1_000, 500, 2_507));
    const [step] = predict(session);
    const predicted = step?.contextNext?.predicted ?? 0;
    expect(step?.cacheShare?.predicted).toBe(1_500 / predicted);
  });

  it.each([
    [4_095, 0],
    [4_096, 1],
  ])("need the model's own minimum before them, %d tokens", (cachedTokens, sign) => {
    const model = 'anthropic/claude-opus-4-5';
    const session = worldOf({ sizes: [1, 2, 3, 4], model });
    expect(sharesOf(withUsage(session, 'm1', usageOf(cachedTokens, 0)))).toEqual([sign]);
  });

  it('reach over all of the step before where a provider caches by itself', () => {
    const world = worldOf({ sizes: [1, 2, 3, 4], model: 'deepseek/deepseek-chat' });
    const [step] = predict(withUsage(world, 'm1', usageOf(0, 0, 4_096)));
    expect((step?.cacheShare?.predicted ?? 0) * (step?.contextNext?.predicted ?? 0)).toBeCloseTo(
      4_096,
    );
  });

  it.each<[string, string | undefined]>([
    ['nobody knows', 'nobody/model'],
    ['is not named', undefined],
  ])('of a model that %s are not predicted', (_, model) => {
    const { model: _model, ...rest } = worldOf({ sizes: SIZES });
    const steps = predict(model === undefined ? rest : { ...rest, model });
    expect(steps.every(({ cacheShare }) => cacheShare === undefined)).toBe(true);
    expect(steps[0]?.contextNext).toBeDefined();
  });

  it('of a session that does not tell its cache reads are not predicted', () => {
    const steps = predict({ ...worldOf({ sizes: SIZES }), isCacheUnknown: true });
    expect(steps.every(({ cacheShare }) => cacheShare === undefined)).toBe(true);
    expect(steps[0]?.contextNext).toBeDefined();
  });
});

describe('costs', () => {
  const world = worldOf({ sizes: SIZES });
  const billed = { ...world, recordedCosts: costsOf(world) };

  it('are exact where counts, cache and prices are', () => {
    const costs = predict(billed).map(({ inputCost }) => inputCost);
    for (const cost of costs.slice(3)) expect(cost?.predicted).toBe(cost?.recorded);
    expect(costs.slice(3)).toHaveLength(2);
  });

  it("are at the step's own prices", () => {
    const known = new Map([['anthropic/claude-sonnet-4-5', prices]]);
    const other = ['m9', 'm11'].reduce<Session>(
      (before, id) => withModel(before, id, 'anthropic/claude-opus-4-5'),
      billed,
    );
    const steps = predictSession(other, {
      count: countCharacters,
      pricesOf: (model) => known.get(model),
    });
    expect(billedIdsOf(predict(billed))).toContain('m11');
    expect(billedIdsOf(steps).at(-1)).toBe('m7');
  });

  it.each<[string, Session, Prices | undefined]>([
    ['were not recorded', world, prices],
    ['have no price', billed, undefined],
    ['lack the price of a cached token', billed, { inputPicoUsd: 1, outputPicoUsd: 1, tiers: [] }],
    [
      'were free',
      { ...world, recordedCosts: new Map([['m3', { inputNanoUsd: 0, outputNanoUsd: 1 }]]) },
      prices,
    ],
  ])('that %s are not predicted', (_, session, known) => {
    const steps = predictSession(session, { count: countCharacters, pricesOf: () => known });
    expect(steps.some(({ inputCost }) => inputCost !== undefined)).toBe(false);
  });
});

describe('a surprise', () => {
  it('is not what went as it should', () => {
    expect(surprisesOf(worldOf({ sizes: SIZES })).slice(3)).toEqual([undefined, undefined]);
  });

  it.each([
    ['full', 'after-compaction'],
    ['micro', 'after-clearing'],
  ] as const)(
    'is the first step after a %s compaction, of which nothing is predicted',
    (kind, surprise) => {
      const session = worldOf({ sizes: SIZES, recordedCompactions: [{ kind, messageIndex: 8 }] });
      expect(predict(session)[3]).toEqual({ messageId: 'm9', surprise });
    },
  );

  it('is the first step of another model, of which nothing is predicted, and of the first again', () => {
    const steps = predict(withModel(worldOf({ sizes: SIZES }), 'm5', 'deepseek/deepseek-chat'));
    const surprise = 'other-model';
    expect(steps.slice(1, 3)).toEqual([
      { messageId: 'm5', surprise },
      { messageId: 'm7', surprise },
    ]);
    expect(steps[3]?.surprise).toBeUndefined();
  });

  it('is a context that shrank though nothing says why', () => {
    const session = withUsage(worldOf({ sizes: SIZES }), 'm11', usageOf(4_000, 1));
    expect(surprisesOf(session).at(-1)).toBe('context-shrank');
  });

  it.each<[number, string | undefined]>([
    [0, 'cache-lost'],
    [0.85, 'cache-lost'],
    [0.95, undefined],
  ])('is a read of %d of what should have been cached', (part, surprise) => {
    const world = worldOf({ sizes: SIZES });
    const last = world.messages.at(-1);
    if (last?.role !== 'assistant' || last.usage === undefined)
      throw new TypeError('Expected a step.');
    const tokens = contextTokensOf(last.usage);
    const read = Math.round(last.usage.cacheRead * part);
    expect(surprisesOf(withUsage(world, 'm11', usageOf(read, tokens - read))).at(-1)).toBe(
      surprise,
    );
  });
});
