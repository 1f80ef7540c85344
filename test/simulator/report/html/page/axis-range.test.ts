import { describe, expect, it } from 'vitest';
import { rangeOf, ticksWithin } from '../../../../../src/simulator/report/html/page/axis-range.js';
import { stepTicks, ticks } from '../../../../../src/simulator/report/html/page/ticks.js';

describe('rangeOf', () => {
  it.each<[string, readonly number[], [from: number, to: number]]>([
    ['begins at 0', [2, 10], [0, 10.96]],
    ['begins near points that lie close together', [100, 110], [98.8, 111.2]],
    ['goes below 0 where points do', [-10, 10], [-12.4, 12.4]],
    ['has room for a point alone', [100], [0, 112]],
    ['has room for a point alone below 0', [-100], [-112, 0]],
    ['has room for nothing but 0', [0, 0], [0, 1]],
    ['is there without points', [], [0, 1]],
  ])('%s', (_, values, [from, to]) => {
    const [low, high] = rangeOf(values);
    expect([low, high]).toEqual([expect.closeTo(from, 9), expect.closeTo(to, 9)]);
  });
});

describe('ticksWithin', () => {
  it.each<[string, [number, number], string, readonly string[]]>([
    ['tells dollars apart', [2.97, 3.04], 'usd', ['$2.98', '$3', '$3.02', '$3.04']],
    ['tells shares in percent', [0, 1], 'ratio', ['0 %', '20 %', '40 %', '60 %', '80 %', '100 %']],
    ['tells thousands', [0, 3_000], 'tokens', ['0', '1k', '2k', '3k']],
    ['has a sign', [-2, 2], 'usd', ['-$2', '-$1', '$0', '$1', '$2']],
  ])('%s', (_, range, unit, expected) => {
    expect(ticksWithin(range, 5, unit).map(([, words]) => words)).toEqual(expected);
  });
});

describe('ticks', () => {
  it('are round', () => {
    expect(ticks(95, 5)).toEqual([0, 20, 40, 60, 80]);
    expect(ticks(0, 5)).toEqual([0]);
  });

  it('are whole steps before the last', () => {
    expect(stepTicks(3, 10)).toEqual([0, 1, 2]);
    expect(stepTicks(20, 4)).toEqual([0, 5, 10, 15]);
  });
});
