import { describe, expect, it } from 'vitest';
import { compareHitRates } from '../../../../src/simulator/metrics/published.ts';
import {
  HIT_THRESHOLDS,
  toSessionShapes,
} from '../../../../src/simulator/scenario/workload/session-shape.ts';
import {
  findWorkload,
  type SessionShape,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { generateSamples, rateOf } from './sessions.ts';

const SESSIONS = 267;
const claude = findWorkload('claude-code');
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('sessions like whole ones', () => {
  const samples = generateSamples(claude, SESSIONS);
  const shapes = toSessionShapes(samples);

  it('compact as often as published, by session and by step', () => {
    const { generated, workload, isWithinNoise } = rateOf(compareHitRates(shapes, claude, 1), null);
    expect(workload!.perSession.value).toBeCloseTo(70 / 267, 6);
    expect(isWithinNoise).toBe(true);
    const { low, high } = workload!.perSession.interval!;
    expect(generated.perSession.value).toBeGreaterThan(low);
    expect(generated.perSession.value).toBeLessThan(high);
  });

  it('are told from sessions whose figures are drawn apart, which compact twice as often', () => {
    const { sessions: _known, ...apart } = claude;
    const drawn = toSessionShapes(generateSamples(apart, SESSIONS));
    const { generated, isWithinNoise } = rateOf(compareHitRates(drawn, claude, 1), null);
    expect(generated.perSession.value).toBeGreaterThan((1.4 * 70) / 267);
    expect(isWithinNoise).toBe(false);
  });

  it('are not judged by thresholds of which nothing was published', () => {
    const rates = compareHitRates(shapes, claude, 1).slice(1);
    expect(rates.map(({ workload, isWithinNoise }) => [workload, isWithinNoise])).toEqual(
      HIT_THRESHOLDS.map(() => [null, null]),
    );
  });

  it('are not judged by shapes that only stand for a few sessions', () => {
    const pi = findWorkload('pi');
    const { workload, isWithinNoise } = rateOf(compareHitRates(shapes, pi, 1), null);
    expect(workload).toMatchObject({ perSession: { value: 1, interval: null } });
    expect(isWithinNoise).toBeNull();
  });

  it.each<[string, (shape: SessionShape) => number, number]>([
    ['steps', ({ steps }) => steps, 65.3],
    ['calls', ({ callsOfTurns }) => sum(callsOfTurns), 69.4],
    ['turns', ({ callsOfTurns }) => callsOfTurns.length, 6.4],
    // Published with summaries and what programs put in, which are 2.3 % of it.
    ['tokens', ({ contentTokens = 0 }) => contentTokens, 58_891.6 * 0.977],
  ])('have as many %s as published on average', (_, of, published) => {
    expect(Math.abs(sum(shapes.map(of)) / SESSIONS / published - 1)).toBeLessThan(0.03);
  });
});
