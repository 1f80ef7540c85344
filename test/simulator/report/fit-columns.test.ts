import { describe, expect, it } from 'vitest';
import { alignRows, widthOf } from '../../../src/simulator/report/align-rows.ts';
import { numberColumns } from '../../../src/simulator/report/columns.ts';
import { byRank, describeLeftOut, fitColumns } from '../../../src/simulator/report/fit-columns.ts';
import { lostColumns } from '../../../src/simulator/report/lost.ts';

/** 4 + 2 + 5 + 2 + 4 + 2 + 6 = 25 columns wide. */
const rows = [
  ['Name', 'Steps', 'Cost', 'Misses'],
  ['読む', '12', '$1', '3'],
];
/** The cost tells most, then misses, then steps. */
const dispensable = [2, 3, 1];

describe('fitColumns', () => {
  it.each([
    { terminalColumns: undefined, shown: ['Name', 'Steps', 'Cost', 'Misses'], leftOut: [] },
    { terminalColumns: 25, shown: ['Name', 'Steps', 'Cost', 'Misses'], leftOut: [] },
    { terminalColumns: 24, shown: ['Name', 'Cost', 'Misses'], leftOut: ['Steps'] },
    { terminalColumns: 18, shown: ['Name', 'Cost', 'Misses'], leftOut: ['Steps'] },
    { terminalColumns: 17, shown: ['Name', 'Steps', 'Cost'], leftOut: ['Misses'] },
    { terminalColumns: 16, shown: ['Name', 'Cost'], leftOut: ['Steps', 'Misses'] },
    { terminalColumns: 2, shown: ['Name'], leftOut: ['Steps', 'Cost', 'Misses'] },
  ])('shows $shown in $terminalColumns columns', ({ terminalColumns, shown, leftOut }) => {
    const fitted = fitColumns({ rows, terminalColumns, dispensable });
    expect([fitted.rows[0], fitted.leftOut]).toEqual([shown, leftOut]);
    expect(fitted.rows[1]).toHaveLength(shown.length);
  });

  it('comes to tables that are no wider than their terminal, as long as names alone are not', () => {
    for (let terminalColumns = 4; terminalColumns < 30; terminalColumns++) {
      const fitted = fitColumns({ rows, terminalColumns, dispensable });
      const widths = alignRows(fitted.rows).split('\n').map(widthOf);
      expect(Math.max(...widths)).toBeLessThanOrEqual(terminalColumns);
    }
  });

  it('leaves a table without rows as it is', () => {
    expect(fitColumns({ rows: [], terminalColumns: 80, dispensable })).toEqual({
      rows: [],
      leftOut: [],
    });
  });
});

describe('byRank', () => {
  it.each([
    { of: 'runs', columns: numberColumns },
    { of: 'what was lost', columns: lostColumns },
  ])('orders the columns of $of, each of which has a rank of its own', ({ columns }) => {
    expect(new Set(columns.map(({ rank }) => rank)).size).toBe(columns.length);
    const places = byRank(columns, 2);
    expect(places.map((place) => columns[place - 2]?.rank)).toEqual(
      columns.map((_, nth) => nth + 1),
    );
  });
});

describe('describeLeftOut', () => {
  it('names what there is no room for', () => {
    expect([describeLeftOut([]), describeLeftOut(['Steps', 'Peak'])]).toEqual([
      '',
      'No room for Steps, Peak: a wider terminal or --format markdown shows them.',
    ]);
  });
});
