import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/simulator/report/align-rows.ts';
import { numberColumns } from '../../../src/simulator/report/columns.ts';
import {
  describeLeftOut,
  fitColumns,
  tableSections,
} from '../../../src/simulator/report/fit-columns.ts';
import { lostColumns } from '../../../src/simulator/report/lost.ts';
import { titlesOf } from '../../../src/simulator/report/text-table.ts';

/** 4 + 2 + 5 + 2 + 4 + 2 + 6 = 25 columns wide; the cost tells most, then misses, then steps. */
const table = {
  columns: [
    { title: 'Name' },
    { title: 'Steps', rank: 3 },
    { title: 'Cost', rank: 1 },
    { title: 'Misses', rank: 2 },
  ],
  rows: [['読む', '12', '$1', '3']],
};
const terminalOf = (terminalColumns?: number) => ({ colors: false, terminalColumns });

/** A table whose last column has a rank, or must stand. */
const named = (rank?: number) => ({
  columns: [
    { title: 'Name' },
    { title: 'Verdict' },
    { title: 'Cost', ...(rank !== undefined && { rank }) },
  ],
  rows: [
    ['one two three', 'perhaps', '$1'],
    ['four', 'no', '$22'],
  ],
});

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
    const fitted = fitColumns(table, terminalOf(terminalColumns));
    expect([titlesOf(fitted.table.columns), titlesOf(fitted.leftOut)]).toEqual([shown, leftOut]);
    expect(fitted.table.rows[0]).toHaveLength(shown.length);
  });

  it('counts no room for a column in which nothing stands', () => {
    const columns = [...table.columns, { title: '' }];
    const rows = [['読む', '12', '$1', '3', '']];
    expect(fitColumns({ columns, rows }, terminalOf(25)).leftOut).toEqual([]);
  });

  it('leaves out what there is no room for of the titles alone', () => {
    const { leftOut } = fitColumns({ ...table, rows: [] }, terminalOf(24));
    expect(titlesOf(leftOut)).toEqual(['Steps']);
  });

  it.each([
    { of: 'runs', columns: numberColumns },
    { of: 'what was lost', columns: lostColumns },
  ])('knows of the columns of $of which one tells more than another', ({ columns }) => {
    const ranks = columns.map(({ rank }) => rank).toSorted((one, other) => one - other);
    expect(ranks).toEqual(columns.map((_, nth) => nth + 1));
  });
});

describe('tableSections', () => {
  it('comes to tables that are no wider than their terminal, as long as names alone are not', () => {
    for (let terminalColumns = 4; terminalColumns < 30; terminalColumns++) {
      const [text, note] = tableSections(table, terminalOf(terminalColumns), 'json');
      const widths = text.split('\n').map(widthOf);
      expect(Math.max(...widths)).toBeLessThanOrEqual(terminalColumns);
      expect(note === '').toBe(terminalColumns >= 25);
    }
  });

  it.each<[string, number, number | undefined, readonly string[]]>([
    [
      'for what must stand',
      20,
      undefined,
      [
        'Name     Verdict  Cost',
        'one      perhaps    $1',
        '  two',
        '  three',
        'four          no   $22',
      ],
    ],
    [
      'for what tells most',
      24,
      0,
      ['Name     Verdict  Cost', 'one two  perhaps    $1', '  three', 'four          no   $22'],
    ],
    [
      'for nothing else',
      24,
      1,
      ['Name           Verdict', 'one two three  perhaps', 'four                no'],
    ],
    [
      'for what must stand alone, where they cannot be narrow enough for what tells most',
      19,
      0,
      ['Name     Verdict', 'one two  perhaps', '  three', 'four          no'],
    ],
  ])('has names in several lines %s', (...[, terminalColumns, rank, lines]) => {
    const [shown] = tableSections(named(rank), terminalOf(terminalColumns), 'json');
    expect(shown.split('\n')).toEqual(lines);
  });

  it.each([
    [
      'begin alike where the width of the terminal is known',
      80,
      'Name  Verdict\na     no\nb     perhaps',
    ],
    ['end alike elsewhere', undefined, 'Name  Verdict\na          no\nb     perhaps'],
  ])('has words that %s', (_, terminalColumns, text) => {
    const columns = [{ title: 'Name' }, { title: 'Verdict', holds: 'words' as const }];
    const rows = [
      ['a', 'no'],
      ['b', 'perhaps'],
    ];
    const [shown] = tableSections({ columns, rows }, terminalOf(terminalColumns), 'json');
    expect(shown).toBe(text);
  });
});

describe('describeLeftOut', () => {
  it('names what there is no room for, and a format that has it', () => {
    const columns = [{ title: 'Steps' }, { title: 'p90', name: 'p90 of steps' }];
    expect([
      describeLeftOut([], terminalOf(), 'json'),
      describeLeftOut(columns, terminalOf(), 'json'),
    ]).toEqual([
      '',
      'No room for Steps; p90 of steps: a wider terminal or --format json shows them.',
    ]);
  });
});
