import { describe, expect, it } from 'vitest';
import {
  scaledZoom,
  zoomTo,
  zoomWithin,
} from '../../../../../src/simulator/report/html/page/zoom.js';

describe('zoomWithin', () => {
  it.each<[string, [from: number, to: number], number, [from: number, to: number]]>([
    ['keeps what is there', [10, 30], 40, [10, 30]],
    ['goes no closer than five steps', [10, 11], 40, [10, 15]],
    ['shows all of fewer steps', [1, 2], 3, [0, 3]],
    ['moves back what lies beyond the end', [35, 45], 40, [30, 40]],
    ['moves on what lies before the beginning', [-5, 5], 40, [0, 10]],
    ['is never wider than all', [-20, 100], 40, [0, 40]],
    ['has whole steps', [9.6, 19.8], 40, [10, 20]],
  ])('%s', (_, [from, to], steps, expected) => {
    expect(Object.values(zoomWithin({ from, to }, steps))).toEqual(expected);
  });
});

describe('scaledZoom', () => {
  it('keeps a step where it is', () => {
    expect(scaledZoom({ from: 0, to: 40 }, 0.5, 10)).toEqual({ from: 5, to: 25 });
    expect(scaledZoom({ from: 5, to: 25 }, 2, 10)).toEqual({ from: 0, to: 40 });
  });
});

describe('zoomTo', () => {
  it.each<[string, number, [from: number, to: number]]>([
    ['stays where the step is seen', 29, [10, 30]],
    ['goes back to a step before it', 9, [9, 29]],
    ['goes on to a step behind it', 30, [11, 31]],
  ])('%s', (_, step, expected) => {
    expect(Object.values(zoomTo({ from: 10, to: 30 }, step))).toEqual(expected);
  });
});
