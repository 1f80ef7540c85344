import { describe, expect, it } from 'vitest';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import { row, side } from './sample-sides.ts';

/** Two sessions at a cost in each trial, with its mirror and a quotient that goes with it. */
const trialsOf = (name: string, costs: readonly number[]) =>
  side(
    name,
    ['s0', 's1'].flatMap((session) =>
      costs.map((costUsd) =>
        row(session, {
          metrics: { costUsd, costSavedUsd: 1000 - costUsd, missesPerEviction: costUsd / 3 },
        }),
      ),
    ),
  );

function compared(a: readonly number[], b: readonly number[]) {
  const outcome = compareSides(trialsOf('a', a), trialsOf('b', b), { seed: 1 });
  if (outcome.state !== 'compared') throw new Error(outcome.reason);
  return outcome.comparison;
}

describe('trials of a session', () => {
  it.each<[rule: string, a: readonly number[], b: readonly number[]]>([
    ['equal ones', [0.1], [0.1, 0.1, 0.1]],
    ['ones in another order', [0.1, 0.7, 0.3], [0.3, 0.1, 0.7]],
    ['one that has the mean of others', [0.7], [0.6, 0.7, 0.8]],
  ])('differ in nothing for %s', (_rule, a, b) => {
    const { metrics, mostDifferent } = compared(a, b);
    expect(mostDifferent).toEqual([]);
    expect(metrics).toHaveLength(3);
    for (const { meanA, meanB, difference, outcomes, verdict } of metrics) {
      expect([meanB, difference.value, verdict]).toEqual([meanA, 0, 'equivalent']);
      expect(outcomes).toMatchObject({ wins: 0, losses: 0, ties: 2 });
    }
  });

  it('have the number that all of them have as their mean', () => {
    const { metrics } = compared([0.1, 0.1, 0.1], [0.1, 0.1, 0.1]);
    expect(metrics.map(({ meanA }) => meanA)).toEqual([0.1, 1000 - 0.1, 0.1 / 3]);
  });
});
