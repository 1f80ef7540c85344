import { describe, expect, it } from 'vitest';
import type { ArmResult } from '../../../../src/simulator/sweep/compare/arm.ts';
import { isSameSession } from '../../../../src/simulator/sweep/compare/same-session.ts';

const resultOf = (metrics: ArmResult['metrics'], sessionHash?: string): ArmResult => ({
  state: 'completed',
  metrics,
  sessionHash,
});

describe('isSameSession', () => {
  it.each<[string, boolean, ArmResult, ArmResult]>([
    ['of one hash', true, resultOf({ turns: 1 }, 'h'), resultOf({ turns: 2 }, 'h')],
    ['of two hashes', false, resultOf({ turns: 1 }, 'h'), resultOf({ turns: 1 }, 'i')],
    [
      'of as many turns, a hash on one side',
      true,
      resultOf({ turns: 1 }, 'h'),
      resultOf({ turns: 1 }),
    ],
    ['of more turns', false, resultOf({ turns: 1 }), resultOf({ turns: 2 })],
    ['of more steps', false, resultOf({ turns: 1, steps: 5 }), resultOf({ turns: 1, steps: 6 })],
    [
      'of steps that a closed loop added',
      true,
      resultOf({ steps: 5 }),
      resultOf({ steps: 7, rereadSteps: 2 }),
    ],
    ['of unknown steps', true, resultOf({ steps: null }), resultOf({ steps: 6 })],
    ['of which nothing is known', true, resultOf({}), resultOf({ turns: 2 })],
  ])('looks at results %s', (_, expected, a, b) => {
    expect(isSameSession(a, b)).toBe(expected);
    expect(isSameSession(b, a)).toBe(expected);
  });
});
