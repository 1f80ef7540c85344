import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paretoFront, type Point } from '../../../../src/simulator/sweep/tune/front.ts';
import { findFirst, findKnee } from '../../../../src/simulator/sweep/tune/knee.ts';

const kneeOf = (points: readonly Point[]) => findKnee(paretoFront(points), points);

describe('findKnee', () => {
  const curve: Point[] = [
    [0, 100],
    [1, 30],
    [2, 10],
    [6, 5],
    [10, 0],
  ];

  it('is the member farthest below the chord', () => {
    expect(findKnee([0, 1, 2, 3, 4], curve)).toBe(2);
  });

  it('is the same in other units', () => {
    const scaled = curve.map(([x = 0, y = 0]) => [1_000 * x, y / 7]);
    expect(findKnee([0, 1, 2, 3, 4], scaled)).toBe(2);
  });

  it('is the best with one objective, and none of nothing', () => {
    expect(kneeOf([[3], [1], [2]])).toBe(1);
    expect(kneeOf([])).toBeUndefined();
  });

  it.each<[string, readonly Point[]]>([
    [
      'two members, which are ends',
      [
        [0, 10],
        [10, 0],
      ],
    ],
    [
      'a straight line',
      [
        [0, 10],
        [4, 6],
        [10, 0],
      ],
    ],
    [
      'a member less than one percent below the chord',
      [
        [0, 1_000],
        [500, 495],
        [1_000, 0],
      ],
    ],
    [
      'members above the chord',
      [
        [0, 10],
        [8, 9],
        [10, 0],
      ],
    ],
    [
      'an end that is best in two objectives',
      [
        [0, 0, 10],
        [10, 10, 0],
      ],
    ],
    [
      'members no lower than an end',
      [
        [0, 1, 1],
        [10, 0, 10],
        [10, 10, 0],
        [2, 2, 2],
      ],
    ],
  ])('is none of %s', (_, points) => {
    expect(kneeOf(points)).toBeUndefined();
    expect(kneeOf(points.toReversed())).toBeUndefined();
  });

  it('counts objectives with the same end once', () => {
    expect(
      kneeOf([
        [0, 0, 10],
        [10, 10, 0],
        [4.5, 4.5, 3],
      ]),
    ).toBe(2);
  });

  it('takes no notice of an objective in which all are the same', () => {
    expect(
      kneeOf([
        [0, 7, 10],
        [2, 7, 2],
        [10, 7, 0],
      ]),
    ).toBe(1);
  });

  it('is one place, in whatever order the points are', () => {
    const amount = fc.nat({ max: 6 });
    const places = fc.array(fc.tuple(amount, amount, amount), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(places, (points) => {
        const other = points.toReversed();
        expect(other[kneeOf(other) ?? -1]).toEqual(points[kneeOf(points) ?? -1]);
      }),
    );
  });
});

describe('findFirst', () => {
  it('is the best on the first objective, and of such on the next', () => {
    const points: Point[] = [
      [2, 0, 9],
      [1, 7, 3],
      [1, 5, 4],
      [1, 5, 2],
      [0, 0, 0],
    ];
    expect(findFirst([0, 1, 2, 3], points)).toBe(3);
    expect(findFirst([0, 1, 2], points)).toBe(2);
    expect(findFirst([1, 0], points)).toBe(1);
    expect(findFirst([], points)).toBeUndefined();
  });
});
