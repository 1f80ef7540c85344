import { expect, it } from 'vitest';
import { drawingWidth } from '../../../src/simulator/report/drawing-width.ts';

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
