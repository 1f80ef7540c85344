import { describe, expect, it } from 'vitest';
import { compareHitRates } from '../../../../src/simulator/metrics/published.ts';
import {
  countThresholdHits,
  toSessionShapes,
} from '../../../../src/simulator/scenario/workload/session-shape.ts';
import {
  findWorkload,
  type SessionShape,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { contentOf, generateSamples, rateOf } from './sessions.ts';

const claude = findWorkload('claude-code');
const STEPS = 100;
/** So many sessions, of which some compacted once. */
const shapesOf = (count: number, compacted: number): readonly SessionShape[] =>
  Array.from({ length: count }, (_, index) => ({
    callsOfTurns: [0],
    steps: STEPS,
    contentTokens: 1,
    compactions: index < compacted ? 1 : 0,
  }));
const compared = (generated: readonly SessionShape[], known: readonly SessionShape[]) => {
  const turnsPerSession = { n: known.length, points: [[0, 1]] as const };
  return rateOf(
    compareHitRates(generated, { ...claude, sessions: known, turnsPerSession }, 1),
    null,
  );
};

describe('compareHitRates', () => {
  it('does not take rare hits for impossible where none was seen', () => {
    const { generated, isWithinNoise } = compared(shapesOf(10, 0), shapesOf(30, 5));
    // Three of ten sessions, by the rule of three.
    expect(generated.perSession.interval!.high).toBeCloseTo(0.3, 9);
    expect(generated.perThousandSteps.interval!.high).toBeCloseTo(3, 9);
    expect(isWithinNoise).toBe(true);
  });

  it('is no surer for forks of one session', () => {
    const alone = [...shapesOf(8, 3), ...shapesOf(12, 1)];
    const forked = alone.flatMap((shape, index) =>
      Array.from({ length: 4 }, () => ({ ...shape, family: `f${index}` })),
    );
    const generated = shapesOf(20, 2);
    const rates = compared(generated, forked);
    expect(rates.workload).toEqual(compared(generated, alone).workload);
    expect(
      compared(
        forked.map((shape) => ({ ...shape, compactions: 0 })),
        alone,
      ).generated,
    ).toMatchObject({
      perSession: { value: 0, interval: { low: 0, high: 3 / 80 } },
    });
  });

  it('tells none in many sessions from what is not rare', () => {
    expect(compared(shapesOf(300, 0), shapesOf(30, 5)).isWithinNoise).toBe(false);
  });
});

describe('sessions whose context hardly grows', () => {
  const codex = findWorkload('codex');
  it.each([codex.context.fixedTokens - 1, 90, 60])(
    'grow by %d tokens a step, as they did',
    (growth) => {
      const like: SessionShape = {
        callsOfTurns: Array.from({ length: 60 }, () => 0),
        steps: 60,
        contentTokens: 600,
        firstStepTokens: 12_000,
        stepGrowthTokens: growth,
      };
      const texts = { ...codex.texts, userTokens: { points: [[0, 5]] as const } };
      const samples = generateSamples({ ...codex, texts, sessions: [like] }, 1);
      expect(toSessionShapes(samples)[0]!.stepGrowthTokens! / growth).toBeCloseTo(1, 1);
    },
  );
});

describe('sessions of an agent that is known', () => {
  const context = { ...claude.context, takenBackTokens: { points: [[0, 5_000]] as const } };
  const like: SessionShape = {
    callsOfTurns: Array.from({ length: 30 }, () => 20),
    steps: 600,
    firstStepTokens: 12_000,
    compactAtTokens: 90_000,
    shrinkingShare: 0.1,
  };
  const [sample] = generateSamples({ ...claude, context, sessions: [like] }, 1);
  const growth = sample!.steps.flatMap(({ growthTokens }) => growthTokens ?? []);

  it('compact at one context throughout', () => {
    const before = sample!.compactions.map(({ tokensBefore }) => tokensBefore!);
    expect(before.length).toBeGreaterThan(3);
    expect(Math.min(...before)).toBeGreaterThan(90_000 * 0.95);
    const contexts = sample!.steps.map(({ contextTokens }) => contextTokens!);
    expect(Math.max(...contexts)).toBeLessThan(90_000 * 1.05);
  });

  it('shrink as often and by as much as was published', () => {
    const shrunk = growth.filter((tokens) => tokens < 0);
    expect(Math.abs(shrunk.length / growth.length - 0.1)).toBeLessThan(0.03);
    expect(new Set(shrunk)).toContain(-5_000);
    expect(Math.min(...shrunk)).toBe(-5_000);
  });

  it('do not shrink below their first request', () => {
    const small = { ...like, callsOfTurns: [0, 0, 0], steps: 3, shrinkingShare: 1 };
    const [own] = generateSamples({ ...claude, context, sessions: [small] }, 1);
    expect(own!.steps.map(({ contextTokens }) => contextTokens)).toEqual([12_000, 12_000, 12_000]);
  });

  it('have the sizes that were drawn where no content is known', () => {
    const whole = generateSamples({ ...claude, sessions: [{ ...like, contentTokens: 9_000 }] }, 1);
    const [known, unknown] = [whole, [sample!]].map((each) => contentOf(toSessionShapes(each)));
    expect(known).toBeLessThan(unknown! / 5);
  });
});

describe('toSessionShapes', () => {
  const [sample] = generateSamples(claude, 1, 9);

  it('leaves out what was not recorded, and sessions without a step', () => {
    const steps = sample!.steps.map((step) => ({
      ...step,
      contextTokens: undefined,
      growthTokens: undefined,
    }));
    const [shape, ...others] = toSessionShapes([
      { ...sample!, steps },
      { ...sample!, steps: [] },
    ]);
    expect(others).toEqual([]);
    expect(Object.keys(shape!)).toEqual([
      'callsOfTurns',
      'steps',
      'contentTokens',
      'rereadShare',
      'compactions',
    ]);
  });

  it('names the families of sessions', () => {
    const [alone, forked] = [
      { ...sample!, name: 'a' },
      { ...sample!, name: 'b' },
    ];
    const shapes = toSessionShapes([alone, forked], new Map([['b', 'c']]));
    expect(shapes.map(({ family }) => family)).toEqual([undefined, 'c']);
  });

  it('counts the calls of a session that nobody asked as one turn', () => {
    const [shape] = toSessionShapes([{ ...sample!, turns: [] }]);
    expect(shape!.callsOfTurns).toEqual([sample!.calls.length]);
  });
});

describe('countThresholdHits', () => {
  const [sample] = generateSamples(claude, 1, 9);
  const hits = (first: number | undefined, ...growth: readonly (number | undefined)[]) => {
    const step = {
      toolCalls: 0,
      writtenCharacters: 0,
      cacheReadTokens: undefined,
      outputTokens: undefined,
    };
    const steps = [undefined, ...growth].map((growthTokens, index) => ({
      ...step,
      contextTokens: index === 0 ? first : undefined,
      growthTokens,
    }));
    return countThresholdHits({ ...sample!, steps });
  };

  it.each<[string, readonly number[], readonly number[]]>([
    ['nothing below', [10_000, 49_999], [0, 0, 0, 0]],
    ['at the threshold', [10_000, 50_000], [1, 0, 0, 0]],
    ['again from the first request and a summary', [10_000, 70_000, 46_000], [2, 1, 1, 0]],
    ['not again one token below', [10_000, 70_000, 45_999], [1, 1, 1, 0]],
    ['at each step where the first request is too large', [130_000, 1, 1], [3, 3, 3, 0]],
    ['as though nothing had shrunk', [10_000, 40_000, -40_000, 10_000], [1, 0, 0, 0]],
  ])('counts %s', (_, [first, ...growth], expected) => {
    expect(hits(first, ...growth)).toEqual(expected);
  });

  it('knows nothing of sessions without usage', () => {
    expect(hits(undefined, 10_000)).toBeUndefined();
  });
});
