import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alignBlocks,
  alignRows,
  type Column,
  describeLeftOut,
  drawingWidth,
  fitColumns,
  tableSections,
  widthOf,
} from '../../../src/simulator/report/layout.ts';

const ROWS = [
  ['Window', '16,000', '32,000', '64,000'],
  ['Steps', '1', '22', '22'],
];
const PIPE = { colors: false };
const titlesOf = (columns: readonly Column[]) => columns.map(({ title }) => title);

describe('alignBlocks', () => {
  it('is one table where it has room, or nobody knows how much there is', () => {
    expect(alignBlocks(ROWS, PIPE)).toBe(alignRows(ROWS));
    expect(alignBlocks(ROWS, { ...PIPE, terminalColumns: 30 })).toBe(alignRows(ROWS));
  });

  it('goes on below with the names again', () => {
    expect(alignBlocks(ROWS, { ...PIPE, terminalColumns: 29 }).split('\n')).toEqual([
      'Window  16,000  32,000',
      'Steps        1      22',
      '',
      'Window  64,000',
      'Steps       22',
    ]);
  });

  it('leaves no cell out, and is wider than its terminal only where one column is', () => {
    const cells = fc.array(
      fc.array(fc.nat({ max: 9_999 }).map(String), { minLength: 7, maxLength: 7 }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(cells, fc.integer({ min: 12, max: 60 }), (numbers, terminalColumns) => {
        const rows = numbers.map((row, nth) => [`name ${nth}`, ...row]);
        const lines = alignBlocks(rows, { ...PIPE, terminalColumns }).split('\n');
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(terminalColumns);
        for (const [name = '', ...row] of rows) {
          const own = lines.filter((line) => line.startsWith(name));
          expect(own.flatMap((line) => line.slice(name.length).trim().split(/ +/))).toEqual(row);
        }
      }),
    );
  });
});

it.each<[string, number, number, number | undefined, number]>([
  ['is as wide as it may be where no terminal is', 60, 20, undefined, 60],
  ['is as wide as it may be where there is room', 60, 20, 200, 60],
  ['is as wide as it may be where there is just enough room', 60, 20, 80, 60],
  ['is narrower by what is missing', 60, 20, 79, 59],
  ['takes what is left', 60, 20, 31, 11],
  ['is never so narrow that it shows nothing', 60, 20, 29, 10],
  ['is never so narrow beside what has no room itself', 60, 90, 40, 10],
  ['is no wider than it may be for that', 8, 90, 40, 8],
])('a drawing %s', (_, most, beside, terminalColumns, width) => {
  expect(drawingWidth({ most, beside }, { terminalColumns })).toBe(width);
});

/** 4 + 2 + 5 + 2 + 4 + 2 + 6 = 25 columns wide; the cost tells most, then misses, then steps. */
const table = {
  columns: [
    { title: 'Name' },
    { title: 'Steps', rank: 3 },
    { title: 'Cost', rank: 1 },
    { title: 'Losses', rank: 2 },
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
    { terminalColumns: undefined, shown: ['Name', 'Steps', 'Cost', 'Losses'], leftOut: [] },
    { terminalColumns: 25, shown: ['Name', 'Steps', 'Cost', 'Losses'], leftOut: [] },
    { terminalColumns: 24, shown: ['Name', 'Cost', 'Losses'], leftOut: ['Steps'] },
    { terminalColumns: 18, shown: ['Name', 'Cost', 'Losses'], leftOut: ['Steps'] },
    { terminalColumns: 17, shown: ['Name', 'Steps', 'Cost'], leftOut: ['Losses'] },
    { terminalColumns: 16, shown: ['Name', 'Cost'], leftOut: ['Steps', 'Losses'] },
    { terminalColumns: 2, shown: ['Name'], leftOut: ['Steps', 'Cost', 'Losses'] },
  ])('shows $shown in $terminalColumns columns', ({ terminalColumns, shown, leftOut }) => {
    const fitted = fitColumns(table, terminalOf(terminalColumns));
    expect([titlesOf(fitted.table.columns), titlesOf(fitted.leftOut)]).toEqual([shown, leftOut]);
    expect(fitted.table.rows[0]).toHaveLength(shown.length);
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

  it('has names in several lines for what must stand and what tells most alone', async () => {
    const shown = [
      ['for what must stand', 20, undefined],
      ['for what tells most', 24, 0],
      ['for nothing else', 24, 1],
      ['for what must stand alone, where they cannot be narrow enough for what tells most', 19, 0],
    ] as const;
    const tables = shown.map(([why, terminalColumns, rank]) => {
      const [text] = tableSections(named(rank), terminalOf(terminalColumns), 'json');
      return `${why}:\n${text}\n`;
    });
    await expect(tables.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/text-table.txt');
  });

  it('has words that begin alike', () => {
    const columns = [{ title: 'Name' }, { title: 'Verdict', holds: 'words' as const }];
    const rows = [
      ['a', 'no'],
      ['b', 'perhaps'],
    ];
    const [shown] = tableSections({ columns, rows }, PIPE, 'json');
    expect(shown).toBe('Name  Verdict\na     no\nb     perhaps');
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
