import { describe, expect, it } from 'vitest';
import type { Prices } from '../../../src/simulator/provider/prices.ts';
import { pairSteps } from '../../../src/simulator/replay/sizes.ts';
import {
  type PredictedStep,
  predictFreely,
  predictNext,
  predictSession,
} from '../../../src/simulator/replay/predict.ts';
import { contextTokensOf, type Session } from '../../../src/simulator/session/session.ts';
import { countCharacters, usageOf, withModel, withUsage, worldOf } from './world.ts';

const SIZES = [10, 70, 31, 4, 200, 55, 9, 320, 18, 44, 260, 81, 5, 12, 90, 33];
const pairsOf = (session: Session) => pairSteps(session, countCharacters);
const recordedOf = (session: Session) =>
  pairsOf(session).map(({ to }) => contextTokensOf(to.usage));
const compacted = (kind: 'full' | 'micro', messageIndex: number) => ({
  recordedCompactions: [{ kind, messageIndex }],
});
/** Two characters a token are not known before this many pairs. */
const UNCALIBRATED_PAIRS = 3;

describe('pairs of steps', () => {
  it('tell what was added in between, and by how much the context grew', () => {
    const [first, second] = pairsOf(worldOf({ sizes: [1, 20, 300, 4, 50, 6] }));
    expect(first?.growth).toEqual({ countedTokens: 320, messages: 2, recordedTokens: 650 });
    expect(second?.growth).toEqual({ countedTokens: 54, messages: 2, recordedTokens: 118 });
  });

  it.each([undefined, usageOf(0, 0)])('reach over a step with the usage %j', (usage) => {
    const session = withUsage(worldOf({ sizes: [1, 20, 300, 4, 50, 6] }), 'm3', usage);
    expect(pairsOf(session)).toMatchObject([
      { from: { id: 'm1' }, to: { id: 'm5' }, growth: { countedTokens: 374, messages: 4 } },
    ]);
  });

  it('do not count a step that failed, for it is not sent again', () => {
    const { messages, ...rest } = worldOf({ sizes: [1, 20, 300, 4, 50, 6] });
    const failed = messages.map((message) =>
      message.id === 'm3' && message.role === 'assistant'
        ? { ...message, error: { name: 'AbortedError', message: '' } }
        : message,
    );
    const session = withUsage({ ...rest, messages: failed }, 'm3', undefined);
    expect(pairsOf(session)).toMatchObject([{ growth: { countedTokens: 370, messages: 3 } }]);
  });

  it.each<[string, number, boolean]>([
    ['before the first of them', 1, false],
    ['after the first of them', 2, true],
    ['before the second of them', 3, true],
    ['after the second of them', 4, false],
  ])('are cut by a compaction %s', (_, messageIndex, isCut) => {
    const [pair] = pairsOf(worldOf({ sizes: [1, 2, 3, 4], ...compacted('full', messageIndex) }));
    expect(pair?.cut !== undefined).toBe(isCut);
  });

  it.each<[string, string, boolean]>([
    ['of the model of the session', 'anthropic/claude-sonnet-4-5', false],
    ['of another one', 'anthropic/claude-opus-4-5', true],
  ])('are of two models where the second is %s', (_, model, isOtherModel) => {
    const session = withModel(worldOf({ sizes: [1, 2, 3, 4] }), 'm3', model);
    expect(pairsOf(session)).toMatchObject([{ model, isOtherModel }]);
  });

  it('are none where fewer than two steps have usage', () => {
    const session = worldOf({ sizes: [1, 2, 3, 4] });
    expect(pairsOf(withUsage(session, 'm3', undefined))).toEqual([]);
    expect(pairsOf({ ...session, messages: [] })).toEqual([]);
  });
});

describe('predictNext', () => {
  it('is exact once three pairs came before', () => {
    const session = worldOf({ sizes: SIZES });
    expect(predictNext(pairsOf(session)).slice(UNCALIBRATED_PAIRS)).toEqual(
      recordedOf(session).slice(UNCALIBRATED_PAIRS),
    );
  });

  it('adds counted tokens as they are before that', () => {
    const [predicted] = predictNext(pairsOf(worldOf({ sizes: [1, 20, 300, 4] })));
    expect(predicted).toBe(4_000 + 2 * 1 + 5 + 320);
  });

  it.each(['full', 'micro'] as const)('says nothing of the first step after a %s one', (kind) => {
    const session = worldOf({ sizes: SIZES, ...compacted(kind, 12) });
    const predicted = predictNext(pairsOf(session));
    expect(predicted.map((tokens) => tokens === undefined)).toEqual(
      pairsOf(session).map(({ to }) => to.id === 'm13'),
    );
  });

  it('does not calibrate across a compaction', () => {
    const cut = withUsage(
      worldOf({ sizes: SIZES, ...compacted('full', 8) }),
      'm9',
      usageOf(0, 99_000),
    );
    const after = withUsage(cut, 'm11', usageOf(99_000, 2 * (44 + 260) + 2 * 5));
    expect(predictNext(pairsOf(after))[4]).toBe(contextTokensOf(usageOf(99_000, 618)));
  });
});

describe('predictFreely', () => {
  it('is exact in the second half where the first half tells all', () => {
    const session = worldOf({ sizes: SIZES });
    const [half, rest] = [[undefined, undefined, undefined], recordedOf(session).slice(3)];
    expect(predictFreely(pairsOf(session))).toEqual([...half, ...rest]);
  });

  it('begins anew with each model', () => {
    const session = withModel(worldOf({ sizes: SIZES }), 'm13', 'deepseek/deepseek-chat');
    const other = withUsage(session, 'm13', usageOf(0, 0, 99_000));
    expect(predictFreely(pairsOf(other)).slice(-3)).toEqual([
      recordedOf(session).at(-3),
      undefined,
      undefined,
    ]);
  });

  it('adds up what was counted since the anchor, and its errors with it', () => {
    const session = worldOf({ sizes: [1, 20, 300, 4, 50, 6, 70, 8] });
    const anchor = 4_000 + 2 * 1 + 5;
    expect(predictFreely(pairsOf(session))).toEqual([
      undefined,
      anchor + (20 + 300) + (4 + 50),
      anchor + (20 + 300) + (4 + 50) + (6 + 70),
    ]);
  });

  it.each(['full', 'micro'] as const)('takes the first recorded context after a %s one', (kind) => {
    const cut = withUsage(
      worldOf({ sizes: SIZES, ...compacted(kind, 10) }),
      'm11',
      usageOf(0, 1_000),
    );
    const grown = [2 * (81 + 5) + 10, 2 * (12 + 90) + 10];
    expect(predictFreely(pairsOf(cut)).slice(3)).toEqual([
      recordedOf(worldOf({ sizes: SIZES }))[3],
      undefined,
      1_000 + grown[0]!,
      1_000 + grown[0]! + grown[1]!,
    ]);
  });
});

const SIZES_OF_PREDICT = SIZES.slice(0, 12);
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
  const world = worldOf({ sizes: SIZES_OF_PREDICT });
  const billed = { ...world, recordedCosts: costsOf(world) };

  it.each(['m3', 'm5', 'm7', 'm9', 'm11'])(
    'by the fit does not rest on its own usage: %s',
    (id) => {
      const predictedOf = (session: Session) => {
        const { fitNext, fitFree } =
          predict(session).find(({ messageId }) => messageId === id) ?? {};
        return [fitNext, fitFree].map((each) => each?.predicted);
      };
      const changed = withUsage(billed, id, usageOf(70_000, 9_000, 800));
      expect(predictedOf(changed)).toEqual(predictedOf(billed));
    },
  );

  it('by recorded sizes is what was recorded, until its agent compacts', () => {
    const uneven = withUsage(withUsage(world, 'm5', usageOf(0, 9_000)), 'm7', usageOf(0, 5_000));
    const steps = predict({ ...uneven, ...compacted('full', 9) });
    const exact = (messageId: string) =>
      steps
        .filter((step) => step.messageId === messageId)
        .map(({ contextNext: next, contextFree: free }) => [
          next && next.predicted - next.recorded,
          free && free.predicted - free.recorded,
        ]);
    expect(['m3', 'm5', 'm7', 'm9', 'm11'].flatMap(exact)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [undefined, undefined],
      [0, undefined],
    ]);
  });
});

describe('cache reads', () => {
  it('are exact where the provider caches all that was sent', () => {
    for (const { cacheShare } of predict(worldOf({ sizes: SIZES_OF_PREDICT })).slice(3)) {
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
    const session = worldOf({ sizes: [1, 2, 300, 4], model });
    expect(sharesOf(withUsage(session, 'm1', usageOf(cachedTokens, 0)))).toEqual([sign]);
  });

  it('reach over all of the step before where a provider caches by itself', () => {
    const world = worldOf({ sizes: [1, 2, 300, 4], model: 'deepseek/deepseek-chat' });
    const [step] = predict(withUsage(world, 'm1', usageOf(0, 0, 4_096)));
    expect((step?.cacheShare?.predicted ?? 0) * (step?.contextNext?.predicted ?? 0)).toBeCloseTo(
      4_096,
    );
  });

  const { model, ...rest } = worldOf({ sizes: SIZES_OF_PREDICT });
  it.each<[string, Session]>([
    ['a model that nobody knows', { ...rest, model: 'nobody/model' }],
    ['a model that is not named', rest],
    ['a session that does not tell them', { ...rest, model: model!, isCacheUnknown: true }],
  ])('of %s are not predicted', (_, session) => {
    const steps = predict(session);
    expect(steps.every(({ cacheShare }) => cacheShare === undefined)).toBe(true);
    expect(steps[0]?.contextNext).toBeDefined();
  });
});

describe('costs', () => {
  const world = worldOf({ sizes: SIZES_OF_PREDICT });
  const billed = { ...world, recordedCosts: costsOf(world) };

  it('are exact where counts, cache and prices are', () => {
    const costs = predict(billed).map(({ inputCost }) => inputCost);
    for (const cost of costs.slice(3)) expect(cost?.predicted).toBe(cost?.recorded);
    expect(costs.slice(3)).toHaveLength(2);
  });

  it.each<[string, Session]>([
    ['were not recorded', world],
    [
      'were free',
      { ...world, recordedCosts: new Map([['m3', { inputNanoUsd: 0, outputNanoUsd: 1 }]]) },
    ],
  ])('that %s are those of the recorded usage at list prices', (_, session) => {
    const costsIn = (given: Session) => predict(given).map(({ inputCost }) => inputCost);
    expect(costsIn(session)).toEqual(costsIn(billed));
    expect(billedIdsOf(predict(session))).toHaveLength(billedIdsOf(predict(billed)).length);
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
    ['have no price', billed, undefined],
    ['lack the price of a cached token', billed, { inputPicoUsd: 1, outputPicoUsd: 1, tiers: [] }],
  ])('that %s are not predicted', (_, session, known) => {
    const steps = predictSession(session, { count: countCharacters, pricesOf: () => known });
    expect(steps.some(({ inputCost }) => inputCost !== undefined)).toBe(false);
  });
});

describe('a surprise', () => {
  it('is not what went as it should', () => {
    const [, , , ...last] = surprisesOf(worldOf({ sizes: SIZES_OF_PREDICT }));
    expect(last).toEqual([undefined, undefined]);
  });

  it.each([
    ['full', 'after-compaction'],
    ['micro', 'after-clearing'],
  ] as const)(
    'is the first step after a %s one, of which nothing is predicted',
    (kind, surprise) => {
      const session = worldOf({ sizes: SIZES_OF_PREDICT, ...compacted(kind, 8) });
      expect(predict(session)[3]).toEqual({ messageId: 'm9', surprise });
    },
  );

  it('is the first step of another model, of which nothing is predicted, and of the first again', () => {
    const steps = predict(
      withModel(worldOf({ sizes: SIZES_OF_PREDICT }), 'm5', 'deepseek/deepseek-chat'),
    );
    const surprise = 'other-model';
    expect(steps.slice(1, 3)).toEqual([
      { messageId: 'm5', surprise },
      { messageId: 'm7', surprise },
    ]);
    expect(steps[3]?.surprise).toBeUndefined();
  });

  it('is a context that shrank though nothing says why', () => {
    const session = withUsage(worldOf({ sizes: SIZES_OF_PREDICT }), 'm11', usageOf(4_000, 1));
    expect(surprisesOf(session).at(-1)).toBe('context-shrank');
  });

  it.each<[number, string | undefined]>([
    [0, 'cache-lost'],
    [0.85, 'cache-lost'],
    [0.95, undefined],
  ])('is a read of %d of what should have been cached', (part, surprise) => {
    const world = worldOf({ sizes: SIZES_OF_PREDICT });
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
