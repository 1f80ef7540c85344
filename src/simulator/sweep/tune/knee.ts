import { createNormaliser, type Point } from './front.ts';

/** A member of a front, on axes that run from the best to the worst of the front. */
interface Member {
  readonly index: number;
  readonly place: Point;
}

/** How far below the ends of a front its knee lies at least, in ranges of an objective. */
const LEAST_DEPTH = 0.01;

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
  const heights = new Map(members.map(({ index, place }) => [index, heightOf(place, groups)]));
  const heightAt = ({ index }: Member) => heights.get(index) ?? Infinity;
  const least = members.toSorted((a, b) => heightAt(a) - heightAt(b) || inOrder(a, b))[0];
  if (least === undefined || ends.size === 0) return least?.index;
  const lowestEnd = Math.min(...[...ends.values()].flat().map(heightAt));
  return lowestEnd - heightAt(least) > LEAST_DEPTH ? least.index : undefined;
}

/** The member that is best on the first objective, of such on the next. */
export function findFirst(front: readonly number[], points: readonly Point[]): number | undefined {
  return toMembers(front, points).toSorted(inOrder)[0]?.index;
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

function heightOf(place: Point, groups: readonly (readonly number[])[]): number {
  return groups.reduce((height, group) => {
    const sum = group.reduce((total, axis) => total + (place[axis] ?? 0), 0);
    return height + sum / group.length;
  }, 0);
}

function inOrder({ place: a }: Member, { place: b }: Member): number {
  const axis = a.findIndex((value, index) => value !== b[index]);
  return axis === -1 ? 0 : (a[axis] ?? 0) - (b[axis] ?? 0);
}
