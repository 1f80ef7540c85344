import { describe, expect, it } from 'vitest';
import { alignRows, fillEnd } from '../../../src/simulator/report/align-rows.ts';

const RED = '\u001b[31mred\u001b[39m';

describe('alignRows', () => {
  it.each([
    {
      rule: 'names begin alike, numbers end alike',
      rows: [
        ['Tool', 'Calls'],
        ['read', '12'],
        ['e', '7'],
      ],
      lines: ['Tool  Calls', 'read     12', 'e         7'],
    },
    {
      rule: 'a wide character takes two columns',
      rows: [
        ['読む', '12'],
        ['read', '7'],
        ['書', '100'],
      ],
      lines: ['読む   12', 'read    7', '書    100'],
    },
    {
      rule: 'a colour takes none',
      rows: [
        [RED, '12'],
        ['blue', '7'],
      ],
      lines: [`${RED}   12`, 'blue   7'],
    },
    {
      rule: 'a row may be shorter than others',
      rows: [['a', '1', '2'], ['b']],
      lines: ['a  1  2', 'b'],
    },
    {
      rule: 'a column in which nothing stands is left out',
      rows: [
        ['a', '', '2'],
        ['b', '', '30'],
      ],
      lines: ['a   2', 'b  30'],
    },
    { rule: 'no row is no line', rows: [], lines: [''] },
  ])('$rule', ({ rows, lines }) => {
    expect(alignRows(rows).split('\n')).toEqual(lines);
  });

  it('takes the columns for names that it is told', () => {
    const rows = [
      ['a', 'long', '1'],
      ['bb', 'x', '22'],
    ];
    expect(alignRows(rows, (column) => column < 2)).toBe('a   long   1\nbb  x     22');
  });
});

describe('fillEnd', () => {
  it('leaves a text as it is that is wide enough', () => {
    expect([fillEnd('読む', 4), fillEnd('read', 2), fillEnd('e', 3)]).toEqual([
      '読む',
      'read',
      'e  ',
    ]);
  });
});
