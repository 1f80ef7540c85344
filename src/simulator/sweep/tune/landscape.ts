import type { NamedSettings, Objective, TuneReport } from '../../report/tune-report.ts';
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
import { type Family, meanOfFamily, meanPoints, type TableCell } from './tune-table.ts';

/** Cells that keep the constraints, with what they come to on the sessions tuned on. */
export interface Landscape {
  readonly cells: readonly TableCell[];
  /** By cell; less is better. */
  readonly points: readonly Point[];
  readonly objectives: readonly Objective[];
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  /** Indices of the cells that no other dominates. */
  readonly front: readonly number[];
  /** Of these, the one that gives most for what it takes. */
  readonly knee: number | undefined;
}

/** Metrics that every front needs, whatever is asked for: without a prune there is no bound to show. */
export const SHOWN_METRICS = ['misses', 'boundMisses', 'prunes'] as const;

/** Cells with their front and its knee. */
export function toLandscape(
  facts: Pick<Landscape, 'cells' | 'points' | 'objectives' | 'today'>,
): Landscape {
  const { cells, points, objectives, today } = facts;
  const front = paretoFront(points);
  return { cells, points, objectives, today, front, knee: findKnee(front, points) };
}

/** All cells that keep the constraints, with what they come to. */
export function describePoints(landscape: Landscape): TuneReport['cells']['feasible'] {
  const { cells, points, objectives, knee } = landscape;
  return cells.map((cell, index) => ({
    settings: settingsOf(cell, landscape),
    values: toAmounts(points[index] ?? [], objectives),
    isToday: cell.isToday,
    isKnee: index === knee,
  }));
}

/** The members that stand for the front. */
export function describeFront(
  landscape: Landscape,
  families: readonly Family[],
): TuneReport['front'] {
  const feasible = describePoints(landscape);
  const members = findMembers(landscape).flatMap((index) => {
    const [cell, point] = [landscape.cells[index], feasible[index]];
    if (cell === undefined || point === undefined) return [];
    const meanOf = (metric: (typeof SHOWN_METRICS)[number]) => {
      const valueOf = (session: string) =>
        cell.observations.get(session)?.values[metric] ?? Number.NaN;
      const total = families.reduce((sum, family) => sum + meanOfFamily(family, valueOf), 0);
      const mean = total / families.length;
      return Number.isNaN(mean) ? null : mean;
    };
    const bestKnown = meanOf('prunes') === 0 ? null : meanOf('boundMisses');
    return [{ ...point, misses: { mean: meanOf('misses'), bestKnown } }];
  });
  const least = Math.min(...members.flatMap(({ misses }) => misses.mean ?? []));
  return members.map(({ misses: { mean, bestKnown }, ...member }) => ({
    ...member,
    misses: { mean, bestKnown: bestKnown === null ? null : Math.min(bestKnown, least) },
  }));
}

/** A cell's settings; today's are spelled out. */
export function settingsOf(
  { settings, isToday }: TableCell,
  { today }: Pick<Landscape, 'today'>,
): NamedSettings {
  return isToday ? today.settings : settings;
}

/**
 * The cells that stand for the front, best on the first objective first. The knee and today's stay in any case; of others
 * that are almost equal those that are best on some objective do.
 */
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

/** How many cells of the front the members stand for, besides themselves. */
export function countUnlisted(landscape: Landscape): TuneReport['unlisted'] {
  const members = landscape.front.length - findMembers(landscape).length;
  return { members, within: EPSILON };
}

/** Where today's settings stand: on the front, dominated by how much, or breaking a constraint. */
export function describeToday(
  { cells, points, objectives, front, today }: Landscape,
  todays: readonly TableCell[],
  tuning: readonly Family[],
): TuneReport['today'] {
  const { settings } = today;
  const point = points[cells.findIndex(({ isToday }) => isToday)];
  if (point === undefined) {
    const [values = []] = meanPoints(todays, tuning, objectives);
    const isWhole = todays.every(({ observations }) =>
      tuning.flat().every((session) => observations.get(session)?.state === 'completed'),
    );
    const known = toAmounts(values, objectives).map((value) =>
      Number.isNaN(value) || !isWhole ? null : value,
    );
    return { settings, state: 'infeasible', values: known, distance: null };
  }
  const values = toAmounts(point, objectives);
  // Of the members that dominate it, the knee of them; without one, the best on the first objective.
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

/** Points as amounts again, where more of an objective is better. */
function toAmounts(point: Point, objectives: readonly Objective[]): readonly number[] {
  return point.map((value, axis) => (objectives[axis]?.better === 'higher' ? 0 - value : value));
}
