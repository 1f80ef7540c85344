import { describe, expect, it } from 'vitest';
import { drawBars } from '../../bench/support/bars.ts';

const draw = (values: readonly number[], most: number) =>
  drawBars(
    values.map((value, index) => ({ label: '1'.padEnd(index + 1, '0'), value })),
    most,
    (value) => `${value} µs`,
  );

describe('bars', () => {
  it('are as long as their values, to one scale', () => {
    expect(draw([4, 1], 4)).toEqual([
      ` 1 ${'█'.repeat(40)} 4 µs`,
      `10 ${'█'.repeat(10)}${' '.repeat(30)} 1 µs`,
    ]);
  });

  it.each<[string, number, number, string]>([
    ['an eighth of a character', 1, 320, '▏'],
    ['nothing for 0', 0, 5, ''],
    ['no more than the width', 9, 5, '█'.repeat(40)],
    ['nothing where nothing was measured', 0, 0, ''],
  ])('have %s', (_, value, most, bar) => {
    expect(draw([value], most)[0]).toBe(`1 ${bar.padEnd(40)} ${value} µs`);
  });
});
