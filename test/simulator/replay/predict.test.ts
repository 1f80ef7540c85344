import { describe, expect, it } from 'vitest';
import type { Prices } from '../../../src/simulator/provider/prices.ts';
import { pairSteps } from '../../../src/simulator/replay/sizes.ts';
import {
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

/** Sessions whose predictions are in a file, by what becomes of them, with the prices that are known. */
type Predicted = readonly [string, Session, ((model: string) => Prices | undefined)?];

const world = worldOf({ sizes: SIZES_OF_PREDICT });
const billed = { ...world, recordedCosts: costsOf(world) };
const four = (over: Partial<Parameters<typeof worldOf>[0]> = {}, sizes = [1, 2, 3, 4]) =>
  worldOf({ sizes, ...over });
const opus = 'anthropic/claude-opus-4-5';
const uneven = withUsage(withUsage(world, 'm5', usageOf(0, 9_000)), 'm7', usageOf(0, 5_000));
const { model: _, ...unnamed } = world;
const lastContext = (() => {
  const last = world.messages.at(-1);
  return last?.role === 'assistant' && last.usage ? last.usage : usageOf(0, 0);
})();
const withLastRead = (part: number) => {
  const read = Math.round(lastContext.cacheRead * part);
  return withUsage(world, 'm11', usageOf(read, contextTokensOf(lastContext) - read));
};
const withTtl = (cacheTtlMs: number, gapSeconds: number) => ({
  ...four({ gapSeconds }),
  cacheTtlMs,
});

const PREDICTED: readonly Predicted[] = [
  ['costs are exact where counts, cache and prices are', billed],
  ['costs that were not recorded are those of the usage at list prices', world],
  [
    'costs that were free are those of the usage, too',
    { ...world, recordedCosts: new Map([['m3', { inputNanoUsd: 0, outputNanoUsd: 1 }]]) },
  ],
  [
    "costs are at the step's own prices",
    ['m9', 'm11'].reduce<Session>((before, id) => withModel(before, id, opus), billed),
    (model) => (model === 'anthropic/claude-sonnet-4-5' ? prices : undefined),
  ],
  ['no costs where there is no price', billed, () => undefined],
  [
    'no costs where the price of a cached token is not known',
    billed,
    () => ({ inputPicoUsd: 1, outputPicoUsd: 1, tiers: [] }),
  ],
  [
    'by recorded sizes is what was recorded, until its agent compacts',
    { ...uneven, ...compacted('full', 9) },
  ],
  ['reads within five minutes', four({ gapSeconds: 150 })],
  ['no reads after five minutes', four({ gapSeconds: 151 })],
  ['reads within an hour where that was asked for', withTtl(HOUR_MS, 1_800)],
  ['no reads after an hour', withTtl(HOUR_MS, 1_801)],
  ['reads within five minutes where that was asked for', withTtl(HOUR_MS / 12, 150)],
  ['no reads after that', withTtl(HOUR_MS / 12, 151)],
  [
    'reads as far as the step before had read or written, not of what it had fresh',
    withUsage(four(), 'm1', usageOf(1_000, 500, 2_507)),
  ],
  [
    "no reads below the model's own minimum",
    withUsage(four({ model: opus }, [1, 2, 300, 4]), 'm1', usageOf(4_095, 0)),
  ],
  [
    "reads from the model's own minimum on",
    withUsage(four({ model: opus }, [1, 2, 300, 4]), 'm1', usageOf(4_096, 0)),
  ],
  [
    'reads of all of the step before where a provider caches by itself',
    withUsage(
      four({ model: 'deepseek/deepseek-chat' }, [1, 2, 300, 4]),
      'm1',
      usageOf(0, 0, 4_096),
    ),
  ],
  ['no reads of a model that nobody knows', { ...world, model: 'nobody/model' }],
  ['no reads of a model that is not named', unnamed],
  ['no reads in a session that does not tell them', { ...world, isCacheUnknown: true }],
  ['a surprise after a compaction', { ...world, ...compacted('full', 8) }],
  ['a surprise after a clearing', { ...world, ...compacted('micro', 8) }],
  [
    'a surprise of another model, and of the first',
    withModel(world, 'm5', 'deepseek/deepseek-chat'),
  ],
  [
    'a surprise of a context that shrank though nothing says why',
    withUsage(world, 'm11', usageOf(4_000, 1)),
  ],
  ['a surprise of a cache that was lost', withLastRead(0)],
  ['a surprise of a cache that was lost in part', withLastRead(0.85)],
  ['no surprise of a cache that lacks a little', withLastRead(0.95)],
];

describe('what is predicted of a step', () => {
  it('is what it was', async () => {
    const told = PREDICTED.map(([title, session, pricesOf = () => prices]) => {
      const steps = predictSession(session, { count: countCharacters, pricesOf });
      const lines = steps.map(({ messageId, surprise, ...amounts }) => {
        const words = Object.entries(amounts).map(([name, amount]) =>
          amount === undefined ? '' : ` ${name}=${amount.predicted}|${amount.recorded}`,
        );
        return `${messageId}${surprise === undefined ? '' : ` ${surprise}`}${words.join('')}`;
      });
      return `# ${title}\n${lines.join('\n')}\n`;
    });
    await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/predictions.txt');
  });

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
});
