import { describe, expect, it } from 'vitest';
import { compareMetrics } from '../../../../src/simulator/sweep/compare/compare-pairs.ts';
import type { SessionPair } from '../../../../src/simulator/sweep/compare/pair-sides.ts';
import { findMostDifferent } from '../../../../src/simulator/sweep/compare/most-different.ts';

const DEAREST = 11;

type Values = Readonly<Record<string, number | null>>;

/** Sessions of which the first costs most more under B, with what else A and B have in each. */
function pairsOf(others: readonly (readonly [a: Values, b: Values])[]): readonly SessionPair[] {
  return others.map(([a, b], index) => ({
    session: `s${index}`,
    family: `s${index}`,
    a: { costUsd: 1, ...a },
    b: { costUsd: index === 0 ? 9 : 1.5 + index / 10, ...b },
  }));
}

/** What is told of the session that differs most. */
function reasonOf(pairs: readonly SessionPair[]): string | undefined {
  const [first] = findMostDifferent(pairs, compareMetrics(pairs, 1));
  expect(first?.session).toBe('s0');
  return first?.because?.metric;
}

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

  it.each<
    [rule: string, others: readonly (readonly [Values, Values])[], reason: string | undefined]
  >([
    [
      'what differs there and nowhere else is a reason',
      [
        [{ compactions: 1 }, { compactions: 5 }],
        [{ compactions: 1 }, { compactions: 1 }],
        [{ compactions: 2 }, { compactions: 2 }],
      ],
      'compactions',
    ],
    [
      'what differs by as much everywhere is none',
      [
        [{ compactions: 1 }, { compactions: 5 }],
        [{ compactions: 2 }, { compactions: 6 }],
        [{ compactions: 3 }, { compactions: 7 }],
      ],
      undefined,
    ],
    [
      'what differs by less than elsewhere is one where it is the other way round',
      [
        [{ compactions: 3 }, { compactions: 2 }],
        [{ compactions: 3 }, { compactions: 6 }],
        [{ compactions: 3 }, { compactions: 6 }],
      ],
      'compactions',
    ],
    [
      'the same dollars under another name are none',
      [
        [{ costSavedUsd: 9 }, { costSavedUsd: 1 }],
        [{ costSavedUsd: 9 }, { costSavedUsd: 8 }],
        [{ costSavedUsd: 9 }, { costSavedUsd: 7 }],
      ],
      undefined,
    ],
    [
      'other dollars are one',
      [
        [{ costSummariesUsd: 0 }, { costSummariesUsd: 3 }],
        [{ costSummariesUsd: 0 }, { costSummariesUsd: 0 }],
        [{ costSummariesUsd: 1 }, { costSummariesUsd: 1 }],
      ],
      'costSummariesUsd',
    ],
    [
      'what is as many as the dollars is one, for it is no dollars',
      [
        [{ compactions: 0 }, { compactions: 8 }],
        [{ compactions: 0 }, { compactions: 0 }],
        [{ compactions: 0 }, { compactions: 0 }],
      ],
      'compactions',
    ],
    [
      'what is unknown on one side is none',
      [
        [{ compactions: null }, { compactions: 8 }],
        [{ compactions: 0 }, { compactions: 0 }],
        [{ compactions: 0 }, { compactions: 1 }],
      ],
      undefined,
    ],
    [
      'what differs by rounding alone is none',
      [
        [{ hitRate: 0.1 + 0.2 }, { hitRate: 0.3 }],
        [{ hitRate: 0.5 }, { hitRate: 0.5 }],
        [{ hitRate: 0.5 }, { hitRate: 0.5 }],
      ],
      undefined,
    ],
  ])('gives a reason: %s', (_, others, reason) => {
    expect(reasonOf(pairsOf(others))).toBe(reason);
  });

  it('goes by what was sent where a price is unknown, and leaves out what is alike', () => {
    const pairs = [1, 0, 5].map((more, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: index === 0 ? null : 1, inputTokens: 7 },
      b: { costUsd: 2, inputTokens: 7 + more },
    }));
    expect(
      findMostDifferent(pairs, compareMetrics(pairs, 1)).map(({ session, measure }) => [
        session,
        measure.metric,
      ]),
    ).toEqual([
      ['s2', 'inputTokens'],
      ['s0', 'inputTokens'],
    ]);
  });

  it('names the arm of a session only where there are several', () => {
    const [pair] = pairsOf([[{}, {}]]);
    if (pair === undefined) throw new Error('Expected a pair.');
    const [alone, ofArm] = [pair, { ...pair, arm: 'other' }].map(
      (one) => findMostDifferent([one], [])[0],
    );
    expect(alone).not.toHaveProperty('arm');
    expect(ofArm).toHaveProperty('arm', 'other');
  });
});
