import { sum } from '../../lib/collections.ts';
import type { NamedSettings, Objective, TuneReport } from '../../report/tune-report.ts';
import { type Family, meanOfFamily, meanPoints, type Point, type TableCell } from './tune-table.ts';

export interface Landscape {
  readonly cells: readonly TableCell[];
  readonly points: readonly Point[];
  readonly objectives: readonly Objective[];
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  readonly front: readonly number[];
  readonly knee: number | undefined;
}

type Member = ReturnType<typeof toMembers>[number];

/** Differences of this share of a value are none. Source: evaluation design, section 9.5, ε-dominance. */
export const EPSILON = 0.01;

/** How far below the ends of a front its knee lies at least, in ranges of an objective. */
const LEAST_DEPTH = 0.01;

export function describePoints(landscape: Landscape): TuneReport['cells']['feasible'] {
  const { cells, points, objectives, knee } = landscape;
  return cells.map((cell, index) => ({
    settings: settingsOf(cell, landscape),
    values: toAmounts(points[index] ?? [], objectives),
    isToday: cell.isToday,
    isKnee: index === knee,
  }));
}

export function describeFront(
  landscape: Landscape,
  families: readonly Family[],
): TuneReport['front'] {
  const feasible = describePoints(landscape);
  const members = findMembers(landscape).flatMap((index) => {
    const [cell, point] = [landscape.cells[index], feasible[index]];
    if (cell === undefined || point === undefined) return [];
    const meanOf = (metric: string) => {
      const valueOf = (session: string) =>
        cell.observations.get(session)?.values[metric] ?? Number.NaN;
      const mean = sum(families.map((family) => meanOfFamily(family, valueOf))) / families.length;
      return Number.isNaN(mean) ? null : mean;
    };
    // Without a prune there is no bound to show.
    const bestKnown = meanOf('prunes') === 0 ? null : meanOf('boundMisses');
    return [{ ...point, misses: { mean: meanOf('misses'), bestKnown } }];
  });
  const least = Math.min(...members.flatMap(({ misses }) => misses.mean ?? []));
  return members.map(({ misses: { mean, bestKnown }, ...member }) => ({
    ...member,
    misses: { mean, bestKnown: bestKnown === null ? null : Math.min(bestKnown, least) },
  }));
}

export function settingsOf(
  { settings, isToday }: TableCell,
  { today }: Pick<Landscape, 'today'>,
): NamedSettings {
  return isToday ? today.settings : settings;
}

export function findMembers({ cells, points, front, knee }: Landscape): readonly number[] {
  const pinned = front.filter((index) => index === knee || cells[index]?.isToday === true);
  const valueOf = (index: number, axis: number) => points[index]?.[axis] ?? 0;
  const axes = [...(points[0]?.keys() ?? [])];
  const best = axes.map((axis) => Math.min(...front.map((index) => valueOf(index, axis))));
  const isEnd = (index: number) => axes.some((axis) => valueOf(index, axis) === best[axis]);
  const onFirst = (a: number, b: number) => valueOf(a, 0) - valueOf(b, 0);
  const preferred = front.toSorted((a, b) => Number(isEnd(b)) - Number(isEnd(a)) || onFirst(a, b));
  return thinFront(preferred, points, pinned).toSorted(onFirst);
}

export function describeToday(
  { cells, points, objectives, front, today }: Landscape,
  todays: readonly TableCell[],
  tuning: readonly Family[],
): TuneReport['today'] {
  const { settings } = today;
  const point = points[cells.findIndex(({ isToday }) => isToday)];
  if (point === undefined) {
    const [means = []] = meanPoints(todays, tuning, objectives);
    const isWhole = todays.every(({ observations }) =>
      tuning.flat().every((session) => observations.get(session)?.state === 'completed'),
    );
    const values = toAmounts(means, objectives).map((value) =>
      Number.isNaN(value) || !isWhole ? null : value,
    );
    return { settings, state: 'infeasible', values, distance: null };
  }
  const values = toAmounts(point, objectives);
  const dominating = front.filter((index) => dominates(points[index] ?? [], point));
  const index = findKnee(dominating, points) ?? findFirst(dominating, points);
  if (index === undefined) return { settings, state: 'on the front', values, distance: 0 };
  const better = points[index] ?? point;
  return {
    settings,
    state: 'dominated',
    values,
    dominatedBy: cells[index]?.settings ?? {},
    dominatingValues: toAmounts(better, objectives),
    // Shares of what there is today; of nothing there is none.
    savings: point.map((value, axis) => {
      const saved = value - (better[axis] ?? value);
      if (saved === 0) return 0;
      return value === 0 ? null : saved / Math.abs(value);
    }),
    distance: distanceToFront(point, front, points),
  };
}

export function dominates(point: Point, other: Point) {
  const isWorse = point.some((value, axis) => value > (other[axis] ?? Infinity));
  return !isWorse && point.some((value, axis) => value < (other[axis] ?? Infinity));
}

/** Returns true if a point is nowhere worse than another by more than a negligible share. */
export function almostDominates(point: Point, other: Point) {
  return point.every((value, axis) => {
    const against = other[axis] ?? Infinity;
    return value <= against + EPSILON * Math.abs(against);
  });
}

export function paretoFront(points: readonly Point[]) {
  return [...points.keys()].filter((index) => {
    const point = points[index];
    return point !== undefined && !points.some((other) => dominates(other, point));
  });
}

/** A front without members that one that stays, pinned or first in order, almost dominates. Source: evaluation design, 9.5. */
export function thinFront(
  front: readonly number[],
  points: readonly Point[],
  pinned: readonly number[] = [],
) {
  const standsFor = (one: number, other: number) =>
    one === other || almostDominates(points[one] ?? [], points[other] ?? []);
  const kept = [...pinned];
  let open = front.filter((index) => !pinned.some((pin) => standsFor(pin, index)));
  for (let [top] = open; top !== undefined; [top] = open) {
    // Who stands for a member, and not the other way round, stays; with three objectives that may be a circle.
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
 * The member with the least sum of objectives, each from 0 at the best to 1 at the worst of the front, those with the
 * same end as one; `undefined` where none lies below the ends. Source: evaluation design, section 9.5.
 */
export function findKnee(front: readonly number[], points: readonly Point[]) {
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

export function findFirst(front: readonly number[], points: readonly Point[]) {
  return toMembers(front, points).toSorted(inOrder)[0]?.index;
}

function createNormaliser(points: readonly Point[]): (point: Point) => Point {
  const ends = (points[0] ?? []).map((_, axis) => {
    const values = points.map((point) => point[axis] ?? 0);
    return [Math.min(...values), Math.max(...values)] as const;
  });
  return (point) =>
    point.map((value, axis) => {
      const [best, worst] = ends[axis] ?? [0, 0];
      return worst === best ? 0 : (value - best) / (worst - best);
    });
}

function toMembers(front: readonly number[], points: readonly Point[]) {
  const own = front.flatMap((index) => points.slice(index, index + 1));
  const normalise = createNormaliser(own);
  return front.map((index) => ({ index, place: normalise(points[index] ?? []) }));
}

function findEnds(members: readonly Member[]) {
  const axes = [...(members[0]?.place.keys() ?? [])];
  const ends = axes.map((axis) => members.filter(({ place }) => place[axis] === 0));
  return new Map([...ends.entries()].filter(([, own]) => own.length < members.length));
}

function groupAxes(ends: ReadonlyMap<number, readonly Member[]>) {
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

function toAmounts(point: Point, objectives: readonly Objective[]) {
  return point.map((value, axis) => (objectives[axis]?.better === 'higher' ? 0 - value : value));
}
