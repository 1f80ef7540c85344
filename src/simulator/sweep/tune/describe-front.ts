import type { NamedSettings, Objective, TunedPoint, TuneReport } from '../../report/tune-report.ts';
import {
  distanceToFront,
  dominates,
  EPSILON,
  findFirst,
  findKnee,
  paretoFront,
  type Point,
  thinFront,
} from './front.ts';
import { meanPoints, toMatrix } from './split.ts';
import { type Family, meanOfFamily, type TableCell, type TuneTable } from './tune-table.ts';

/** Cells that keep the constraints, with what they come to on the sessions tuned on. */
export interface Landscape {
  readonly cells: readonly TableCell[];
  /** By cell; less is better. */
  readonly points: readonly Point[];
  readonly objectives: readonly Objective[];
  readonly today: { readonly id: string; readonly settings: NamedSettings };
}

/** Metrics that every front needs, whatever is asked for: without a prune there is no bound to show. */
export const SHOWN_METRICS = ['misses', 'boundMisses', 'prunes'] as const;

/** All cells that keep the constraints, with what they come to. */
export function describePoints(landscape: Landscape): readonly TunedPoint[] {
  const { cells, points, objectives } = landscape;
  const knee = findKnee(paretoFront(points), points);
  return cells.map((cell, index) => ({
    settings: settingsOf(cell, landscape),
    values: toAmounts(points[index] ?? [], objectives),
    isToday: cell.isToday,
    isKnee: index === knee,
  }));
}

/** The members that stand for the front, of the points of all cells. */
export function describeFront(
  landscape: Landscape,
  feasible: readonly TunedPoint[],
  families: readonly Family[],
): readonly TuneReport['front'][number][] {
  const { cells } = landscape;
  const members = findMembers(landscape).flatMap((index) => {
    const [cell, point] = [cells[index], feasible[index]];
    if (cell === undefined || point === undefined) return [];
    const misses = {
      mean: meanOf('misses', cell, families),
      bestKnown:
        meanOf('prunes', cell, families) === 0 ? null : meanOf('boundMisses', cell, families),
    };
    return [{ ...point, misses }];
  });
  const least = Math.min(...members.flatMap(({ misses }) => misses.mean ?? []));
  return members.map(({ misses, ...member }) => {
    const { bestKnown } = misses;
    const own = bestKnown === null ? null : Math.min(bestKnown, least);
    return { ...member, misses: { ...misses, bestKnown: own } };
  });
}

/** A cell's settings; today's are spelled out. */
export function settingsOf(
  { settings, isToday }: TableCell,
  { today }: Pick<Landscape, 'today'>,
): NamedSettings {
  return isToday ? today.settings : settings;
}

/** Points as amounts again, where more of an objective is better. */
export function toAmounts(point: Point, objectives: readonly Objective[]): readonly number[] {
  return point.map((value, axis) => (objectives[axis]?.better === 'higher' ? 0 - value : value));
}

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

/** Where today's settings stand: on the front, dominated by how much, or breaking a constraint. */
export function describeToday(
  landscape: Landscape,
  { table, tuning }: { readonly table: TuneTable; readonly tuning: readonly Family[] },
): TuneReport['today'] {
  const { cells, points, objectives, today } = landscape;
  const own = cells.findIndex(({ isToday }) => isToday);
  const point = points[own];
  const { settings } = today;
  if (point === undefined) {
    const cell = table.cells.filter(({ isToday }) => isToday);
    const [values = []] = meanPoints(toMatrix(cell, tuning, objectives));
    const isWhole = cell.every((one) => hasCompleted(one, tuning.flat()));
    const known = toAmounts(values, objectives).map((value) =>
      Number.isNaN(value) || !isWhole ? null : value,
    );
    return { settings, state: 'infeasible', values: known, distance: null };
  }
  const values = toAmounts(point, objectives);
  const better = findDominating(point, landscape);
  if (better === undefined) return { settings, state: 'on the front', values, distance: 0 };
  const cell = cells[better];
  return {
    settings,
    state: 'dominated',
    values,
    ...(cell && { dominatedBy: settingsOf(cell, landscape) }),
    dominatingValues: toAmounts(points[better] ?? point, objectives),
    savings: savingsOf(point, points[better] ?? point),
    distance: distanceToFront(point, paretoFront(points), points),
  };
}

/** Over the families tuned on; unknown where it is for any session. */
function meanOf(
  metric: (typeof SHOWN_METRICS)[number],
  { observations }: TableCell,
  families: readonly Family[],
): number | null {
  const valueOf = (session: string) => observations.get(session)?.values[metric] ?? Number.NaN;
  const total = families.reduce((sum, family) => sum + meanOfFamily(family, valueOf), 0);
  const mean = total / families.length;
  return Number.isNaN(mean) ? null : mean;
}

/** The members that are best on an objective. */
function findEnds(front: readonly number[], points: readonly Point[]): ReadonlySet<number> {
  const valueOf = (index: number, axis: number) => points[index]?.[axis] ?? 0;
  const axes = [...(points[0]?.keys() ?? [])];
  const best = axes.map((axis) => Math.min(...front.map((index) => valueOf(index, axis))));
  return new Set(front.filter((index) => axes.some((axis) => valueOf(index, axis) === best[axis])));
}

function hasCompleted({ observations }: TableCell, sessions: readonly string[]): boolean {
  return sessions.every((session) => observations.get(session)?.state === 'completed');
}

/** Of the front's members that dominate a point, the knee of them; without one, the best on the first objective. */
function findDominating(point: Point, { points }: Landscape): number | undefined {
  const dominating = paretoFront(points).filter((index) => dominates(points[index] ?? [], point));
  return findKnee(dominating, points) ?? findFirst(dominating, points);
}

/** Shares of what there is today; of nothing there is none. */
function savingsOf(today: Point, better: Point): readonly (number | null)[] {
  return today.map((value, axis) => {
    const saved = value - (better[axis] ?? value);
    if (saved === 0) return 0;
    return value === 0 ? null : saved / Math.abs(value);
  });
}
