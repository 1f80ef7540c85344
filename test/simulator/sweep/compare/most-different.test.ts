import { describe, expect, it } from 'vitest';
import { compareMetrics } from '../../../../src/simulator/sweep/compare/compare-pairs.ts';
import { findMostDifferent } from '../../../../src/simulator/sweep/compare/most-different.ts';

const DEAREST = 11;

describe('findMostDifferent', () => {
  it('gives no reason that differs less in that session than elsewhere', () => {
    const pairs = Array.from({ length: DEAREST + 1 }, (_, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: 1, inputTokens: 100, finalContextTokens: 5 },
      b: {
        costUsd: 2 + index / 10,
        inputTokens: 101 + (index % 2),
        finalContextTokens: index === DEAREST ? 6 : 50,
      },
    }));
    expect(findMostDifferent(pairs, compareMetrics(pairs, 1))[0]).toMatchObject({
      session: `s${DEAREST}`,
      because: { metric: 'inputTokens' },
    });
  });

  it('gives a reason that is as far above in one session as below in another', () => {
    const pairs = [1, -1].map((more, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: 10, compactions: 3 },
      b: { costUsd: 12 + index, compactions: 3 + more },
    }));
    expect(findMostDifferent(pairs, compareMetrics(pairs, 1))).toMatchObject([
      { session: 's1', because: { metric: 'compactions', a: 3, b: 2 } },
      { session: 's0', because: { metric: 'compactions', a: 3, b: 4 } },
    ]);
  });
});
