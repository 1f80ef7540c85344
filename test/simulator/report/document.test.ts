import { describe, expect, it } from 'vitest';
import { type Block, renderTerminal } from '../../../src/simulator/report/document.ts';

const COUNT = 30;
const VIEW = { colors: false };
const cells = Array.from({ length: COUNT }, (_, index) => [`row ${index}`]);
const table: Block = {
  type: 'table',
  columns: [{ title: 'Name' }],
  rows: cells,
  shorten: (rows) => [...cells.slice(0, rows), [`${COUNT - rows} more`]],
};
const fixed: Block = { type: 'lines', lines: ['one', 'two'] };
const linesOf = (text: string) => text.trimEnd().split('\n');

describe('a screen', () => {
  it('gives a table that can be shorter the lines that others leave', () => {
    const lines = linesOf(renderTerminal([fixed, table, fixed], VIEW));
    expect(lines).toHaveLength(20);
    expect(lines.slice(-4)).toEqual(['18 more', '', 'one', 'two']);
  });

  it('shows the first rows of a table that says no more than that it can be shorter', () => {
    const lines = linesOf(renderTerminal([fixed, { ...table, shorten: 'to first rows' }], VIEW));
    expect(lines).toHaveLength(20);
    expect(lines.at(-1)).toBe('15 more: --details');
  });

  it('points to details behind what it rests on, and cuts what is not wrapped for it', () => {
    const lines = ['short', 'long '.repeat(30)];
    const basis: Block = { type: 'lines', lines, isBasis: true };
    const [first, last = ''] = linesOf(renderTerminal([basis], VIEW));
    expect(first).toBe('short');
    expect(last).toMatch(/^long .*… +--details: from what$/);
    expect(last.length).toBeLessThanOrEqual(100);
    expect(linesOf(renderTerminal([{ ...basis, isWrapped: true }], VIEW)).at(-1)).toMatch(
      /^long .* --details: from what$/,
    );
    expect(renderTerminal([{ ...basis, lines: [''] }], VIEW)).toBe('--details: from what\n');
    expect(renderTerminal([basis], { ...VIEW, details: true })).not.toContain('--details');
  });

  it('counts nothing that was asked for', () => {
    const asked: Block = { ...fixed, isAsked: true };
    expect(linesOf(renderTerminal([asked, table], VIEW))).toHaveLength(20 + 3);
  });

  it('is what shows no details, and nothing else shows what is for it alone', () => {
    const blocks: readonly Block[] = [
      { ...fixed, isDetail: true },
      table,
      { type: 'lines', lines: ['short'], only: 'screen' },
    ];
    expect(renderTerminal(blocks, VIEW)).not.toContain('one');
    expect(renderTerminal(blocks, VIEW)).toContain('short');
    const whole = renderTerminal(blocks, { ...VIEW, details: true });
    expect(whole).toMatch(/^one\ntwo\n/);
    expect(whole).not.toMatch(/short|more/);
    expect(linesOf(whole)).toHaveLength(3 + 1 + COUNT);
  });
});
