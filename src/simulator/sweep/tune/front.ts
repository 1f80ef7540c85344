import { sum } from '../../lib/collections.ts';

/** A cell's value on each objective; less is better. */
export type Point = readonly number[];

/** A member of a front, on axes that run from the best to the worst of the front. */
interface Member {
  readonly index: number;
  readonly place: Point;
}

/** Differences of this share of a value are none. Source: evaluation design, section 9.5, ε-dominance. */
export const EPSILON = 0.01;

/** How far below the ends of a front its knee lies at least, in ranges of an objective. */
const LEAST_DEPTH = 0.01;

/** Returns true if a point is nowhere worse than another, and somewhere better. */
export function dominates(point: Point, other: Point): boolean {
  let isBetter = false;
  for (const [axis, value] of point.entries()) {
    const against = other[axis] ?? Infinity;
    if (value > against) return false;
    if (value < against) isBetter = true;
  }
  return isBetter;
}

/** Returns true if a point is nowhere worse than another by more than a negligible share. */
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
  const standsFor = (one: number, other: number) =>
    one === other || almostDominates(points[one] ?? [], points[other] ?? []);
  const kept = [...pinned];
  let open = front.filter((index) => !pinned.some((pin) => standsFor(pin, index)));
  for (let [top] = open; top !== undefined; [top] = open) {
    // Who stands for a member and not the other way round stays in its place; of three objectives that may lead in a circle.
    const seen = new Set([top]);
    const findAbove = (index: number) =>
      open.find((other) => !seen.has(other) && standsFor(other, index) && !standsFor(index, other));
    for (let above = findAbove(top); above !== undefined; above = findAbove(above)) {
      seen.add(above);
      top = above;
    }
    const last = top;
    kept.push(last);
    open = open.filter((index) => !standsFor(last, index));
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

/**
 * The member of a front that gives most for what it takes; `undefined` where none lies below the ends of the front,
 * the best of each objective. What counts is the sum of all objectives, each from 0 at the best to 1 at the worst of
 * the front; those that have the same end are one, with their mean. Of two objectives that is the distance below the
 * chord between the ends; of more it is a plane that weighs all alike and need not go through every end. A member that
 * is best on all objectives is the knee itself. Source: evaluation design, section 9.5.
 */
export function findKnee(front: readonly number[], points: readonly Point[]): number | undefined {
  const members = toMembers(front, points);
  const ends = findEnds(members);
  const groups = groupAxes(ends);
  const heightAt = ({ place }: Member) =>
    sum(groups.map((axes) => sum(axes.map((axis) => place[axis] ?? 0)) / axes.length));
  const least = members.toSorted((a, b) => heightAt(a) - heightAt(b) || inOrder(a, b))[0];
  if (least === undefined || ends.size === 0) return least?.index;
  const lowestEnd = Math.min(...[...ends.values()].flat().map(heightAt));
  return lowestEnd - heightAt(least) > LEAST_DEPTH ? least.index : undefined;
}

/** The member that is best on the first objective, of such on the next. */
export function findFirst(front: readonly number[], points: readonly Point[]): number | undefined {
  return toMembers(front, points).toSorted(inOrder)[0]?.index;
}

/** Points on axes that run from the best to the worst of some; what is the same of all is 0. */
function createNormaliser(points: readonly Point[]): (point: Point) => Point {
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

function toMembers(front: readonly number[], points: readonly Point[]): readonly Member[] {
  const own = front.flatMap((index) => points.slice(index, index + 1));
  const normalise = createNormaliser(own);
  return front.map((index) => ({ index, place: normalise(points[index] ?? []) }));
}

/** The members that are best on each axis; on one that is the same of all there are none. */
function findEnds(members: readonly Member[]): ReadonlyMap<number, readonly Member[]> {
  const axes = [...(members[0]?.place.keys() ?? [])];
  const ends = axes.map((axis) => members.filter(({ place }) => place[axis] === 0));
  return new Map([...ends.entries()].filter(([, own]) => own.length < members.length));
}

/** Axes that some member is best on together. */
function groupAxes(ends: ReadonlyMap<number, readonly Member[]>): readonly (readonly number[])[] {
  return [...ends].reduce<readonly (readonly number[])[]>((groups, [axis, own]) => {
    const isAlike = (group: readonly number[]) =>
      group.some((other) => ends.get(other)?.some((member) => own.includes(member)));
    const alike = groups.filter(isAlike);
    return [...groups.filter((group) => !isAlike(group)), [...alike.flat(), axis]];
  }, []);
}

function inOrder({ place: a }: Member, { place: b }: Member): number {
  const axis = a.findIndex((value, index) => value !== b[index]);
  return axis === -1 ? 0 : (a[axis] ?? 0) - (b[axis] ?? 0);
}
