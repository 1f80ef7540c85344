import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findObjective, type Point } from '../../../../src/simulator/sweep/tune/tune-table.ts';
import {
  almostDominates,
  describeFront,
  distanceToFront,
  dominates,
  findFirst,
  findKnee,
  paretoFront,
  thinFront,
} from '../../../../src/simulator/sweep/tune/front.ts';
import { toLandscape } from '../../../../src/simulator/sweep/tune/tune.ts';

const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), {
  minLength: 1,
  maxLength: 20,
});

/** Points of which many are hardly apart. */
const closePoints = (axes: number) =>
  fc.array(
    fc.array(fc.double({ min: 95, max: 105, noNaN: true }), { minLength: axes, maxLength: axes }),
    { minLength: 1, maxLength: 20 },
  );

/** Those of some members that stand for another. */
const standingFor = (index: number, members: readonly number[], all: readonly Point[]) =>
  members.filter((one) => one !== index && almostDominates(all[one]!, all[index]!));
/** Points as `1 2, 3 4`. */
const at = (text: string): readonly Point[] =>
  text.split(', ').map((point) => point.split(' ').map(Number));

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
    const all = at('100 10, 100.5 9.95, 50 20');
    expect(thinFront([0, 1, 2], all)).toEqual([0, 2]);
    expect(thinFront([1, 0, 2], all)).toEqual([1, 2]);
  });

  it('takes shares of what is below zero too, as amounts are of which more is better', () => {
    const all = at('-100 10, -99.5 9.95, -50 5');
    expect(thinFront([0, 1, 2], all)).toEqual([0, 2]);
  });

  it('keeps a later one that stands for an earlier one, and not both', () => {
    const all = at('100 30, 100.9 10, 101.8 9.95');
    expect(thinFront([0, 1, 2], all)).toEqual([1]);
    expect(thinFront([0, 1, 2], all, [0])).toEqual([0, 1]);
  });

  it('leaves no member of two objectives that another one left stands for, but for pinned ones', () => {
    const pinned = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(closePoints(2), pinned, (all, isPinned) => {
        const front = paretoFront(all);
        const pins = front.filter(() => isPinned.next().value === true);
        for (const some of [[], pins.slice(0, 2)]) {
          const kept = thinFront(front, all, some);
          for (const index of kept.filter((one) => !some.includes(one)))
            expect(standingFor(index, kept, all)).toEqual([]);
          expect(kept).toEqual(expect.arrayContaining(some));
        }
      }),
    );
  });

  it('lets every member go for one that stays', () => {
    fc.assert(
      fc.property(fc.oneof(closePoints(2), closePoints(3), closePoints(4)), (all) => {
        const front = paretoFront(all);
        const kept = thinFront(front, all);
        expect(new Set(kept).size).toBe(kept.length);
        for (const index of front.filter((one) => !kept.includes(one)))
          expect(standingFor(index, kept, all)).not.toEqual([]);
      }),
    );
  });

  it('comes to an end where members stand for each other in a circle', () => {
    const all = at('1000 1008 1015, 1015 1000 1008, 1008 1015 1000');
    expect([0, 1, 2].map((index) => standingFor(index, [0, 1, 2], all))).toEqual([[2], [0], [1]]);
    expect(thinFront([0, 1, 2], all)).toHaveLength(2);
  });
});

describe('distanceToFront', () => {
  const all = at('0 10, 10 0, 10 5, 20 20');

  it('is 0 for a member, and that of the nearest for others, in ranges of all points', () => {
    expect(distanceToFront([0, 10], [0, 1], all)).toBe(0);
    expect(distanceToFront([10, 5], [0, 1], all)).toBeCloseTo(0.25, 12);
    expect(distanceToFront([20, 20], [0, 1], all)).toBeCloseTo(Math.hypot(1, 0.5), 12);
  });
});

/** What is shown of cells of these points, the first of which has today's settings: the first objective, and what it is. */
function shownOf(places: readonly Point[]) {
  const cells = places.map((_, index) => ({
    id: String(index),
    settings: {},
    isToday: index === 0,
    same: [String(index)],
    observations: new Map(),
  }));
  const landscape = toLandscape({
    cells,
    points: places,
    objectives: ['cost', 'regret'].map(findObjective),
    today: { id: '0', settings: {} },
  });
  const front = describeFront(landscape, []);
  return front.map(({ values, isToday, isKnee }) => [values[0], isToday, isKnee]);
}

describe('describeFront', () => {
  it("keeps the knee and today's settings, although the one almost dominates the other", () => {
    const places = at('100 10, 100.5 9.95, 200 9.8');
    expect(shownOf(places)).toEqual([
      [100, true, false],
      [100.5, false, true],
      [200, false, false],
    ]);
  });

  it('keeps the one that is best on some objective of two that stand for each other', () => {
    const places = at('100 10, 200 5.04, 201 5');
    expect(shownOf(places)).toEqual([
      [100, true, false],
      [201, false, false],
    ]);
  });
});

const kneeOf = (points: readonly Point[]) => findKnee(paretoFront(points), points);

describe('findKnee', () => {
  const curve = at('0 100, 1 30, 2 10, 6 5, 10 0');

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
    ['two members, which are ends', at('0 10, 10 0')],
    ['a straight line', at('0 10, 4 6, 10 0')],
    ['a member less than one percent below the chord', at('0 1000, 500 495, 1000 0')],
    ['members above the chord', at('0 10, 8 9, 10 0')],
    ['an end that is best in two objectives', at('0 0 10, 10 10 0')],
    ['members no lower than an end', at('0 1 1, 10 0 10, 10 10 0, 2 2 2')],
  ])('is none of %s', (_, points) => {
    expect(kneeOf(points)).toBeUndefined();
    expect(kneeOf(points.toReversed())).toBeUndefined();
  });

  it('counts objectives with the same end once', () => {
    expect(kneeOf(at('0 0 10, 10 10 0, 4.5 4.5 3'))).toBe(2);
  });

  it('takes no notice of an objective in which all are the same', () => {
    expect(kneeOf(at('0 7 10, 2 7 2, 10 7 0'))).toBe(1);
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
    const points = at('2 0 9, 1 7 3, 1 5 4, 1 5 2, 0 0 0');
    expect(findFirst([0, 1, 2, 3], points)).toBe(3);
    expect(findFirst([0, 1, 2], points)).toBe(2);
    expect(findFirst([1, 0], points)).toBe(1);
    expect(findFirst([], points)).toBeUndefined();
  });
});
