import { describe, expect, it } from 'vitest';
import { compareHitRates } from '../../../../src/simulator/metrics/hit-rates.ts';
import { fitWorkload } from '../../../../src/simulator/scenario/workload/fit.ts';
import {
  type SessionShape,
  toSessionShapes,
} from '../../../../src/simulator/scenario/workload/session-shape.ts';
import { HIT_THRESHOLDS } from '../../../../src/simulator/scenario/workload/threshold-hits.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workloads.ts';
import { poolSamples } from '../../../../src/simulator/session/statistics/pool.ts';
import type { SessionSample } from '../../../../src/simulator/session/statistics/sample.ts';
import { sum } from '../../../../src/simulator/sum.ts';
import { contentOf, generateSamples } from './sessions.ts';

const claude = findWorkload('claude-code');
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
