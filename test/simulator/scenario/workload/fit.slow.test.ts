import { describe, expect, it } from 'vitest';
import { sum } from '../../../../src/simulator/lib/collections.ts';
import { compareHitRates } from '../../../../src/simulator/metrics/published.ts';
import {
  fitWorkload,
  unseenTokensOf,
  meanOf,
} from '../../../../src/simulator/scenario/workload/fit.ts';
import {
  HIT_THRESHOLDS,
  toSessionShapes,
} from '../../../../src/simulator/scenario/workload/session-shape.ts';
import { lengthen } from '../../../../src/simulator/scenario/workload/words.ts';
import {
  findWorkload,
  type SessionShape,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { poolSamples, rereadShareOf } from '../../../../src/simulator/session/statistics/pool.ts';
import type {
  SessionSample,
  StepSample,
} from '../../../../src/simulator/session/statistics/sample-session.ts';
import { distribute } from '../../../../src/simulator/session/statistics/distribution.ts';
import { contentOf, generateSamples } from './sessions.ts';

const claude = findWorkload('claude-code');
const reads = {
  ...claude,
  transitions: {},
  tools: { Read: { ...claude.tools['Read']!, share: 1 } },
};
const withReads = (calls: number, rereadShare: number): SessionSample => {
  const shape: SessionShape = { callsOfTurns: [calls], steps: calls + 1, rereadShare };
  return generateSamples({ ...reads, sessions: [shape] }, 1)[0]!;
};

describe('reads of files that were read before', () => {
  it.each([
    [40, 0.5],
    [40, 0],
    [7, 0.43],
    [30, 0.9],
  ])('are, of %d reads, a share of %f', (calls, share) => {
    const { reuse } = withReads(calls, share);
    expect([reuse.reads, reuse.repeatedReads]).toEqual([calls, Math.round(calls * share)]);
  });

  it('are never the first', () => {
    expect(withReads(1, 1).reuse).toMatchObject({ reads: 1, repeatedReads: 0 });
    expect(withReads(5, 1).reuse).toMatchObject({ reads: 5, repeatedReads: 4 });
  });

  it('are as many in a session that is like another as in that one', () => {
    const samples = [withReads(20, 0.2), withReads(40, 0.75)];
    const own = fitWorkload(poolSamples(samples, 'chars4'), {
      name: 'own',
      describes: 'mine',
      base: claude,
      samples,
    });
    const shares = generateSamples(own, 2).map(rereadShareOf);
    expect(shares.toSorted((one, other) => Number(one) - Number(other))).toEqual([0.2, 0.75]);
  });
});

describe('arguments of reads', () => {
  it.each([80, 120, 200])('are as long as %d characters, however long that is', (characters) => {
    const argumentTokens = { points: [[0, characters / 4]] as const };
    const tools = { Read: { ...reads.tools.Read, argumentTokens, repeatRate: 0 } };
    const shape: SessionShape = { callsOfTurns: [100], steps: 101, rereadShare: 0.4 };
    const [sample] = generateSamples({ ...reads, tools, sessions: [shape] }, 1);
    const { mean } = distribute(sample!.calls.map(({ input }) => input.characters))!;
    expect(Math.abs(mean / characters - 1)).toBeLessThan(0.06);
  });
});

const add = (text: string) => `${text}abcd`;

describe('lengthen', () => {
  it.each([
    [0, 'ab'],
    [3, 'ab'],
    [4, 'ababcd'],
    [7, 'ababcd'],
    [9, 'ababcdabcd'],
  ])('brings a text nearest to %d characters', (characters, expected) => {
    expect(lengthen('ab', characters, add)).toBe(expected);
  });

  it('ends where nothing is added', () => {
    expect(lengthen('ab', 100, (text) => text)).toBe('ab');
  });
});

const step = (outputTokens: number | undefined, writtenCharacters: number): StepSample => ({
  toolCalls: 0,
  writtenCharacters,
  contextTokens: undefined,
  cacheReadTokens: undefined,
  growthTokens: undefined,
  outputTokens,
});
const meanOutput = (all: readonly SessionSample[]) =>
  distribute(all.flatMap((each) => each.steps.map(({ outputTokens = 0 }) => outputTokens)))!.mean;

describe('unseenTokensOf', () => {
  const [base] = generateSamples(claude, 1);

  it('is what a step reports beyond what is shown, never less than nothing', () => {
    const steps = [step(100, 120), step(10, 120), step(undefined, 120)];
    expect(unseenTokensOf([{ ...base!, steps }], 3)).toEqual([60, 0]);
  });

  it('is fitted: sessions write as much as those that they are like', () => {
    const samples = generateSamples(claude, 12, 2).map((sample) => ({
      ...sample,
      steps: sample.steps.map((each) => ({ ...each, outputTokens: each.outputTokens! + 400 })),
    }));
    const own = fitWorkload(poolSamples(samples, 'chars4'), {
      name: 'own',
      describes: 'mine',
      base: claude,
      samples,
    });
    expect(Math.abs(meanOf(own.context.unseenTokens) / 400 - 1)).toBeLessThan(0.15);
    expect(Math.abs(meanOutput(generateSamples(own, 12)) / meanOutput(samples) - 1)).toBeLessThan(
      0.2,
    );
  });
});

const stepsOf = (samples: readonly SessionSample[]) => samples.map(({ steps }) => steps.length);
const isLarge = ({ steps }: SessionSample) => (steps[0]?.contextTokens ?? 0) > 100_000;
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe('sessions that were fitted to others', () => {
  /** Long ones that begin small, and short ones that go on with another, as forks and fragments do. */
  const long = generateSamples({ ...claude, sessions: claude.sessions!.slice(-60) }, 12, 3);
  const short = generateSamples(
    {
      ...claude,
      sessions: claude
        .sessions!.slice(0, 12)
        .map((shape) => ({ ...shape, firstStepTokens: 140_000 })),
    },
    12,
    4,
  );
  const samples = [...long, ...short];
  const fitted = fitWorkload(poolSamples(samples, 'chars4'), {
    name: 'own',
    describes: 'mine',
    base: claude,
    samples,
  });
  const own = generateSamples(fitted, 72, 5);

  it('hit every threshold as often as those', () => {
    const rates = compareHitRates(toSessionShapes(own), fitted, 1);
    expect(rates.map(({ thresholdTokens }) => thresholdTokens)).toEqual([null, ...HIT_THRESHOLDS]);
    for (const { generated, workload, thresholdTokens } of rates) {
      expect(workload!.perSession.value).toBeGreaterThan(0.3);
      for (const rate of ['perSession', 'perThousandSteps'] as const) {
        const ratio = generated[rate].value / workload![rate].value;
        expect(Math.abs(ratio - 1), `${thresholdTokens} ${rate}`).toBeLessThan(0.2);
      }
    }
  });

  it('begin large where they are short', () => {
    expect(Math.abs(own.filter(isLarge).length - own.length / 2)).toBeLessThanOrEqual(2);
    expect(Math.max(...stepsOf(own.filter(isLarge)))).toBeLessThan(
      median(stepsOf(own.filter((sample) => !isLarge(sample)))),
    );
  });

  it('have the calls, steps and content of one of those', () => {
    const known = new Map(fitted.sessions!.map((shape) => [sorted(shape), shape]));
    for (const shape of toSessionShapes(own)) {
      const like = known.get(sorted(shape))!;
      expect(like).toBeDefined();
      expect(Math.abs(shape.steps - like.steps)).toBeLessThanOrEqual(3 + 0.08 * like.steps);
      // What calls need at least is more than their share of very small sessions.
      expect(Math.abs(shape.contentTokens! / like.contentTokens! - 1)).toBeLessThan(0.2);
    }
    const ratio = contentOf(toSessionShapes(own)) / contentOf(fitted.sessions!);
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });
});

function sorted({ callsOfTurns }: SessionShape): string {
  return callsOfTurns.toSorted((a, b) => a - b).join(' ');
}

describe('sessions that are too long to be held', () => {
  const whole: SessionShape = {
    callsOfTurns: Array.from({ length: 10 }, () => 499),
    steps: 5_000,
    contentTokens: 400_000,
    firstStepTokens: 12_000,
    stepGrowthTokens: 200,
  };
  const [shape] = toSessionShapes(generateSamples({ ...claude, sessions: [whole] }, 1));

  it('have as much content and growth by step as the whole ones', () => {
    const { callsOfTurns, steps, contentTokens, stepGrowthTokens } = shape!;
    expect(sum(callsOfTurns)).toBe(3_000);
    expect(contentTokens! / steps / (400_000 / 5_000)).toBeCloseTo(1, 1);
    expect(stepGrowthTokens! / 200).toBeCloseTo(1, 1);
  });
});
