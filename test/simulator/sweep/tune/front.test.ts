import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeFront,
  describePoints,
} from '../../../../src/simulator/sweep/tune/describe-front.ts';
import { findObjective } from '../../../../src/simulator/sweep/tune/objective.ts';
import {
  distanceToFront,
  dominates,
  paretoFront,
  type Point,
  thinFront,
} from '../../../../src/simulator/sweep/tune/front.ts';

const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
  minLength: 1,
  maxLength: 20,
});

describe('dominates', () => {
  it.each<[string, Point, Point, boolean]>([
    ['better in one, equal in the other', [1, 2], [1, 3], true],
    ['better in one, worse in the other', [1, 4], [2, 3], false],
    ['equal in both', [1, 2], [1, 2], false],
    ['better in both', [0, 0], [1, 2], true],
  ])('%s', (_, point, other, expected) => {
    expect(dominates(point, other)).toBe(expected);
  });
});

describe('paretoFront', () => {
  it('dominates everything outside, and nothing inside', () => {
    fc.assert(
      fc.property(points, (all) => {
        const front = paretoFront(all);
        expect(front.length).toBeGreaterThan(0);
        for (const [index, point] of all.entries()) {
          const isDominated = front.some((member) => dominates(all[member]!, point));
          expect(isDominated).toBe(!front.includes(index));
        }
      }),
    );
  });
});

describe('thinFront', () => {
  it('keeps the earlier of two that differ by less than one percent', () => {
    const all: Point[] = [
      [100, 10],
      [100.5, 9.95],
      [50, 20],
    ];
    expect(thinFront([0, 1, 2], all)).toEqual([0, 2]);
    expect(thinFront([1, 0, 2], all)).toEqual([1, 2]);
  });

  it('takes shares of what is below zero too, as amounts are of which more is better', () => {
    const all: Point[] = [
      [-100, 10],
      [-99.5, 9.95],
      [-50, 5],
    ];
    expect(thinFront([0, 1, 2], all)).toEqual([0, 2]);
  });

  it('keeps the one that has none of something apart from the one that has a little', () => {
    expect(
      thinFront(
        [0, 1],
        [
          [1, 0.001],
          [1.001, 0],
        ],
      ),
    ).toEqual([0, 1]);
  });
});

describe('distanceToFront', () => {
  const all: Point[] = [
    [0, 10],
    [10, 0],
    [10, 5],
    [20, 20],
  ];

  it('is 0 for a member, and that of the nearest for others, in ranges of all points', () => {
    expect(distanceToFront([0, 10], [0, 1], all)).toBe(0);
    expect(distanceToFront([10, 5], [0, 1], all)).toBeCloseTo(0.25, 12);
    expect(distanceToFront([20, 20], [0, 1], all)).toBeCloseTo(Math.hypot(1, 0.5), 12);
  });

  it('tells near from far where the front has one member', () => {
    const one: Point[] = [[0], [1], [10]];
    expect(one.map((point) => distanceToFront(point, [0], one))).toEqual([0, 0.1, 1]);
  });

  it('counts no objective in which all are the same', () => {
    const flat: Point[] = [
      [0, 7],
      [5, 7],
    ];
    expect(distanceToFront([5, 7], [0], flat)).toBe(1);
  });
});

describe('describeFront', () => {
  it("keeps the knee and today's settings, although the one almost dominates the other", () => {
    const places: Point[] = [
      [100, 10],
      [100.5, 9.95],
      [200, 9.8],
    ];
    const cells = places.map((_, index) => ({
      id: String(index),
      settings: {},
      isToday: index === 0,
      same: [String(index)],
      observations: new Map(),
    }));
    const landscape = {
      cells,
      grid: cells,
      points: places,
      resampled: { resamples: 0, families: 1, membership: [], knees: [], firstObjective: [] },
      objectives: ['cost', 'regret'].map(findObjective),
      varied: [],
      today: { id: '0', settings: {} },
    };
    const front = describeFront(landscape, describePoints(landscape), []);
    expect(front.map(({ values, isToday, isKnee }) => [values[0], isToday, isKnee])).toEqual([
      [100, true, false],
      [100.5, false, true],
      [200, false, false],
    ]);
  });
});
