import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignBlocks } from '../../../src/simulator/report/align-blocks.ts';
import { alignRows, widthOf } from '../../../src/simulator/report/align-rows.ts';

const ROWS = [
  ['Window', '16,000', '32,000', '64,000'],
  ['Steps', '1', '22', '22'],
];
const PIPE = { colors: false };

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
