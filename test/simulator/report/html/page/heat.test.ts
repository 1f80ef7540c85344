import { describe, expect, it } from 'vitest';
import { heatOf } from '../../../../../src/simulator/report/html/page/heat.js';

const GRID = { rowKey: 'protect', columnKey: 'window', rows: ['5k'], columns: ['32k', '64k'] };
const cost = {
  name: 'costUsd',
  label: 'Cost',
  unit: 'usd' as const,
  isMain: true,
  describes: 'What it costs.',
};

type Cell = readonly [value: number | null, isPeer: boolean];

/** The heat of one row of groups; the last cell of the grid has no group. */
function heatOfCells(cells: readonly Cell[]) {
  const groups = cells.map(([value]) => ({
    names: [],
    runs: 1,
    completedRuns: 1,
    values: [value],
  }));
  const peers = cells.map(([, isPeer]) => isPeer);
  const grid = { ...GRID, cells: [[...cells.keys(), null]] };
  const heat = heatOf({ groups, peers }, grid, [cost, 0]);
  return { ...heat, shades: grid.cells.flat().map(heat.shadeOf).map(toPercent) };
}

describe('heatOf', () => {
  it.each<[string, readonly Cell[], readonly (number | null)[]]>([
    [
      'goes from faint for the least to deep for the most',
      [
        [2, true],
        [4, true],
        [3, true],
      ],
      [12, 55, 34, null],
    ],
    [
      'shades no cell that cannot be compared, and none by it',
      [
        [2, true],
        [1, false],
        [4, true],
      ],
      [12, null, 55, null],
    ],
    ['shades nothing unknown', [[null, true]], [null, null]],
    [
      'is faint where all are the same',
      [
        [2, true],
        [2, true],
      ],
      [12, 12, null],
    ],
  ])('%s', (_, cells, expected) => {
    expect(heatOfCells(cells).shades).toEqual(expected);
  });

  it('says what no shade means where there is a cell that cannot be compared', () => {
    expect(heatOfCells([[2, true]]).caption).toBe('Cost by protect and window');
    expect(heatOfCells([[2, false]]).caption).toBe(
      'Cost by protect and window; unshaded: completed other runs, cannot be compared',
    );
  });
});

function toPercent(shade: number | null): number | null {
  return shade === null ? null : Math.round(100 * shade);
}
