import type { TuneReport } from '../../report/tune/tune-report.ts';
import type { Landscape } from './describe-front.ts';
import { EPSILON, paretoFront, thinFront } from './front.ts';
import { findKnee } from './knee.ts';

/** The cells that stand for the front, best on the first objective first. Of almost equal ones today's and the knee stay. */
export function findMembers({ cells, points }: Landscape): readonly number[] {
  const front = paretoFront(points);
  const knee = findKnee(front, points);
  const isPinned = (index: number) => index === knee || cells[index]?.isToday === true;
  const preferred = front.toSorted(
    (a, b) =>
      Number(isPinned(b)) - Number(isPinned(a)) || (points[a]?.[0] ?? 0) - (points[b]?.[0] ?? 0),
  );
  return [...new Set([...preferred.filter(isPinned), ...thinFront(preferred, points)])].toSorted(
    (a, b) => (points[a]?.[0] ?? 0) - (points[b]?.[0] ?? 0),
  );
}

/** How many cells of the front the members stand for, besides themselves. */
export function countUnlisted(landscape: Landscape): TuneReport['unlisted'] {
  const members = paretoFront(landscape.points).length - findMembers(landscape).length;
  return { members, within: EPSILON };
}
