import { describe, expect, it } from 'vitest';
import { predictFreely, predictNext } from '../../../../src/simulator/replay/predict/context.ts';
import { pairSteps } from '../../../../src/simulator/replay/step-pairs.ts';
import { contextTokensOf, type Session } from '../../../../src/simulator/session/session.ts';
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

  it('reach over a step without usage', () => {
    const session = withUsage(worldOf({ sizes: [1, 20, 300, 4, 50, 6] }), 'm3', undefined);
    expect(pairsOf(session)).toMatchObject([
      { from: { id: 'm1' }, to: { id: 'm5' }, growth: { countedTokens: 374, messages: 4 } },
    ]);
  });

  it('reach over a step whose context was nothing', () => {
    const session = withUsage(worldOf({ sizes: [1, 20, 300, 4, 50, 6] }), 'm3', usageOf(0, 0));
    expect(pairsOf(session)).toMatchObject([{ from: { id: 'm1' }, to: { id: 'm5' } }]);
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

  it("never looks at a step's own usage", () => {
    const session = worldOf({ sizes: SIZES });
    const changed = withUsage(session, 'm15', usageOf(7, 99_000));
    expect(predictNext(pairsOf(changed)).at(-1)).toBe(predictNext(pairsOf(session)).at(-1));
  });
});

describe('predictFreely', () => {
  it('is exact in the second half where the first half tells all', () => {
    const session = worldOf({ sizes: SIZES });
    const [half, rest] = [[undefined, undefined, undefined], recordedOf(session).slice(3)];
    expect(predictFreely(pairsOf(session))).toEqual([...half, ...rest]);
  });

  it('never looks at usage of the second half', () => {
    const session = worldOf({ sizes: SIZES });
    const changed = ['m9', 'm11', 'm13'].reduce(
      (before, id) => withUsage(before, id, usageOf(7, 99_000)),
      session,
    );
    expect(predictFreely(pairsOf(changed))).toEqual(predictFreely(pairsOf(session)));
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

  it('is nothing of nothing', () => {
    expect(predictFreely([])).toEqual([]);
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
