import type { TuneReport } from '../../report/tune/tune-report.ts';
import type { Landscape } from './describe-front.ts';
import { EPSILON, paretoFront, type Point, thinFront } from './front.ts';
import { findKnee } from './knee.ts';

/**
 * The cells that stand for the front, best on the first objective first. The knee and today's stay in any case; of others
 * that are almost equal those that are best on some objective do.
 */
export function findMembers({ cells, points }: Landscape): readonly number[] {
  const front = paretoFront(points);
  const knee = findKnee(front, points);
  const pinned = front.filter((index) => index === knee || cells[index]?.isToday === true);
  const ends = findEnds(front, points);
  const onFirst = (a: number, b: number) => (points[a]?.[0] ?? 0) - (points[b]?.[0] ?? 0);
  const preferred = front.toSorted(
    (a, b) => Number(ends.has(b)) - Number(ends.has(a)) || onFirst(a, b),
  );
  return thinFront(preferred, points, pinned).toSorted(onFirst);
}

/** How many cells of the front the members stand for, besides themselves. */
export function countUnlisted(landscape: Landscape): TuneReport['unlisted'] {
  const members = paretoFront(landscape.points).length - findMembers(landscape).length;
  return { members, within: EPSILON };
}

/** The members that are best on an objective. */
function findEnds(front: readonly number[], points: readonly Point[]): ReadonlySet<number> {
  const valueOf = (index: number, axis: number) => points[index]?.[axis] ?? 0;
  const axes = [...(points[0]?.keys() ?? [])];
  const best = axes.map((axis) => Math.min(...front.map((index) => valueOf(index, axis))));
  return new Set(front.filter((index) => axes.some((axis) => valueOf(index, axis) === best[axis])));
}
