/** What a cell comes to on each objective; less is better. */
export type Point = readonly number[];

/** Differences of this share of a value are none. Source: evaluation design, section 9.5, ε-dominance. */
export const EPSILON = 0.01;

/** Whether one member may be shown in the place of another. */
type StandsFor = (one: number, other: number) => boolean;

/** Whether a point is nowhere worse than another, and somewhere better. */
export function dominates(point: Point, other: Point): boolean {
  let isBetter = false;
  for (const [axis, value] of point.entries()) {
    const against = other[axis] ?? Infinity;
    if (value > against) return false;
    if (value < against) isBetter = true;
  }
  return isBetter;
}

/** Whether a point is nowhere worse than another by more than the share that counts as none. */
export function almostDominates(point: Point, other: Point): boolean {
  return point.every((value, axis) => {
    const against = other[axis] ?? Infinity;
    return value <= against + EPSILON * Math.abs(against);
  });
}

/** Indices of the points that no other dominates. */
export function paretoFront(points: readonly Point[]): readonly number[] {
  return [...points.keys()].filter((index) => {
    const point = points[index];
    return point !== undefined && !points.some((other) => dominates(other, point));
  });
}

/**
 * A front without members that another one left almost dominates: each that goes has one that stays and stands for it.
 * Of members that stand for each other, the first in the order given stays, and pinned ones do in any case.
 * Source: evaluation design, section 9.5.
 */
export function thinFront(
  front: readonly number[],
  points: readonly Point[],
  pinned: readonly number[] = [],
): readonly number[] {
  const standsFor: StandsFor = (one, other) =>
    one === other || almostDominates(points[one] ?? [], points[other] ?? []);
  const kept = [...pinned];
  let open = front.filter((index) => !pinned.some((pin) => standsFor(pin, index)));
  for (let [first] = open; first !== undefined; [first] = open) {
    const next = climb(first, open, standsFor);
    kept.push(next);
    open = open.filter((index) => !standsFor(next, index));
  }
  return kept;
}

/** Distance of a point to the nearest member of a front, on axes from the best to the worst of all points. */
export function distanceToFront(
  point: Point,
  front: readonly number[],
  points: readonly Point[],
): number {
  const normalise = createNormaliser(points);
  const own = normalise(point);
  return Math.min(
    ...front.map((member) => {
      const place = normalise(points[member] ?? []);
      return Math.hypot(...own.map((value, axis) => value - (place[axis] ?? 0)));
    }),
  );
}

/** Points on axes that run from the best to the worst of some; what is the same of all is 0. */
export function createNormaliser(points: readonly Point[]): (point: Point) => Point {
  const axes = points[0]?.length ?? 0;
  const ranges = Array.from({ length: axes }, (_, axis) => {
    const values = points.map((point) => point[axis] ?? 0);
    return { best: Math.min(...values), worst: Math.max(...values) };
  });
  return (point) =>
    point.map((value, axis) => {
      const { best = 0, worst = 0 } = ranges[axis] ?? {};
      return worst === best ? 0 : (value - best) / (worst - best);
    });
}

/**
 * From a member to one that stands for it and not the other way round, and on from there until there is none: who were
 * to stay besides it would stand for it. Of three objectives or more that may lead in a circle, which ends where it began.
 */
function climb(first: number, open: readonly number[], standsFor: StandsFor): number {
  const seen = new Set([first]);
  const above = (index: number) =>
    open.find((other) => !seen.has(other) && standsFor(other, index) && !standsFor(index, other));
  let top = first;
  for (let next = above(top); next !== undefined; next = above(top)) {
    seen.add(next);
    top = next;
  }
  return top;
}
