import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Point } from '../../../../src/simulator/sweep/tune/front.ts';
import { hypervolume } from '../../../../src/simulator/sweep/tune/hypervolume.ts';

describe('hypervolume', () => {
  it.each<[string, readonly Point[], Point, number]>([
    ['nothing of no point', [], [1, 1], 0],
    ['the way to the best on one axis', [[3], [1], [2]], [10], 9],
    ['a rectangle', [[2, 3]], [10, 10], 8 * 7],
    [
      'two rectangles without their overlap',
      [
        [2, 6],
        [6, 2],
      ],
      [10, 10],
      2 * (8 * 4) - 4 * 4,
    ],
    [
      'no more for a point that another dominates',
      [
        [2, 3],
        [4, 5],
      ],
      [10, 10],
      8 * 7,
    ],
    [
      'nothing of a point beyond the reference, or on its edge',
      [
        [2, 11],
        [10, 2],
      ],
      [10, 10],
      0,
    ],
    [
      'two boxes without their overlap',
      [
        [0, 0, 1],
        [1, 1, 0],
      ],
      [2, 2, 2],
      4 + 2 - 1,
    ],
  ])('is %s', (_, points, reference, volume) => {
    expect(hypervolume(points, reference)).toBe(volume);
  });

  const side = 6;
  const point = fc.array(fc.nat({ max: side }), { minLength: 3, maxLength: 3 });

  it('is the number of unit boxes that some point dominates', () => {
    const reference = [side, side, side];
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 8 }), (points) => {
        const boxes = Array.from({ length: side ** 3 }, (_, box) => [
          box % side,
          Math.floor(box / side) % side,
          Math.floor(box / side ** 2),
        ]).filter((corner) =>
          points.some((one) => one.every((value, axis) => value <= corner[axis]!)),
        );
        expect(hypervolume(points, reference)).toBe(boxes.length);
      }),
    );
  });
});
