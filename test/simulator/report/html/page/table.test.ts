import { describe, expect, it } from 'vitest';
import {
  sortRows,
  toCsv,
  turnedOrder,
} from '../../../../../src/simulator/report/html/page/table.js';

const columns = [{ title: 'Name' }, { title: 'Cost', isNumber: true }];
const rows = [
  [{ text: 'b' }, { text: '$2.00', value: 2 }],
  [{ text: 'c' }, { text: '–', value: null }],
  [{ text: 'a' }, { text: '$1,000.00 or so' }],
];

describe('sortRows', () => {
  it.each<[string, string, string]>([
    ['leaves rows as they are without an order', '', 'bca'],
    ['sorts by texts', '0:ascending', 'abc'],
    ['sorts by texts the other way', '0:descending', 'cba'],
    ['sorts by numbers, what is unknown last', '1:ascending', 'bac'],
    ['sorts by numbers the other way, what is unknown last', '1:descending', 'abc'],
    ['leaves rows as they are where the column is none', '7:ascending', 'bca'],
    ['leaves rows as they are where the order is none', 'x', 'bca'],
  ])('%s', (_, order, expected) => {
    const names = sortRows(rows, columns, order).map(([name]) => name?.text);
    expect(names.join('')).toBe(expected);
  });

  it('takes what has no end for more than any number', () => {
    const halves = ['9.5 (8 … 12)', '∞ (20.1 … ∞)', '–', '104'];
    const cells = halves.map((text) => [{ text: 'arm' }, { text }]);
    const sorted = sortRows(cells, columns, '1:descending').map(([, cell]) => cell?.text);
    expect(sorted).toEqual(['∞ (20.1 … ∞)', '104', '9.5 (8 … 12)', '–']);
  });
});

describe('turnedOrder', () => {
  it('goes from descending to ascending to none', () => {
    const orders = ['', '1:descending', '1:ascending', '0:ascending'];
    expect(orders.map((order) => turnedOrder(order, 1))).toEqual([
      '1:descending',
      '1:ascending',
      '',
      '1:descending',
    ]);
  });
});

describe('toCsv', () => {
  it('has numbers without their units, and nothing that a spreadsheet would run', () => {
    const cells = [
      { text: '=HYPERLINK("x")' },
      { text: '$2.00', value: 2 },
      { text: '–', value: null },
      { text: '-1,5' },
    ];
    const titles = cells.map((_, index) => ({ title: `c${index}` }));
    expect(toCsv(titles, [cells])).toBe(`c0,c1,c2,c3\r\n"'=HYPERLINK(""x"")",2,,"'-1,5"\r\n`);
  });

  it('leaves numbers below zero alone', () => {
    expect(toCsv([{ title: 'c' }], [[{ text: '-$2', value: -2 }]])).toBe('c\r\n-2\r\n');
  });
});
