import { describe, expect, it } from 'vitest';
import { findPeers } from '../../../../src/simulator/report/html/page-parts.ts';

/** One row a group, one column a session: whether it completed. */
function peersOf(completed: readonly (readonly boolean[])[]) {
  const groups = completed.map((row) => ({ completedRuns: row.filter(Boolean).length }));
  const runs = completed.flatMap((row, g) =>
    row.map((isDone, s) => ({ g, s, seed: 1, state: isDone ? 'completed' : 'refused' })),
  );
  return findPeers(groups, runs);
}

describe('findPeers', () => {
  it.each<[string, boolean[][], boolean[]]>([
    [
      'all that completed all',
      [
        [true, true],
        [true, true],
      ],
      [true, true],
    ],
    [
      'not the one that completed less',
      [
        [true, true],
        [true, true],
        [true, false],
      ],
      [true, true, false],
    ],
    [
      'nobody where as many runs are others',
      [
        [true, false],
        [false, true],
      ],
      [false, false],
    ],
    ['nobody where nothing completed', [[false], [false]], [false, false]],
    ['one by itself', [[true, false]], [true]],
  ])('finds %s', (_, completed, expected) => {
    expect(peersOf(completed)).toEqual(expected);
  });

  it('tells seeds of a session apart', () => {
    const runs = [
      { g: 0, s: 0, seed: 1, state: 'completed' },
      { g: 1, s: 0, seed: 2, state: 'completed' },
    ];
    expect(findPeers([{ completedRuns: 1 }, { completedRuns: 1 }], runs)).toEqual([false, false]);
  });

  it('goes by counts where runs are too many to be listed', () => {
    expect(findPeers([{ completedRuns: 9 }, { completedRuns: 8 }], [])).toEqual([true, false]);
  });
});
