import { CONFIDENCE, type Interval, observedInterval } from '../../metrics/statistics/interval.ts';
import type {
  FrontMember,
  Knee,
  NamedSettings,
  Objective,
  TunedPoint,
} from '../../report/tune/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { type Family, meanOfFamily } from './family.ts';
import { paretoFront, type Point } from './front.ts';
import { findMembers } from './front-members.ts';
import { findKnee } from './knee.ts';
import type { Resampled } from './resample.ts';
import type { TableCell, TuneCell } from './tune-table.ts';

/** Cells that keep the constraints, with what they come to on the sessions tuned on. */
export interface Landscape {
  readonly cells: readonly TableCell[];
  /** All points of the grid, whether they keep the constraints or not. */
  readonly grid: readonly TuneCell[];
  /** By cell; less is better. */
  readonly points: readonly Point[];
  readonly resampled: Resampled;
  readonly objectives: readonly Objective[];
  readonly varied: readonly SettingName[];
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
): readonly FrontMember[] {
  const { cells, resampled } = landscape;
  return findMembers(landscape).flatMap((index) => {
    const [cell, point] = [cells[index], feasible[index]];
    if (cell === undefined || point === undefined) return [];
    const misses = {
      mean: meanOf('misses', cell, families),
      atBest: meanOf('prunes', cell, families) === 0 ? null : meanOf('boundMisses', cell, families),
    };
    return [{ ...point, probability: resampled.membership[index] ?? null, misses }];
  });
}

/** The knee with where it lies in resamples; `undefined` where the front has none. */
export function describeKnee(landscape: Landscape): Knee | undefined {
  const { cells, points, resampled, varied } = landscape;
  const index = findKnee(paretoFront(points), points);
  const cell = index === undefined ? undefined : cells[index];
  if (cell === undefined) return undefined;
  const knees = resampled.knees.flatMap((knee) => cells[knee ?? -1] ?? []);
  const hits = resampled.knees.filter((knee) => knee === index).length;
  const intervals = varied.flatMap((name) => {
    const interval = intervalOf(name, knees, landscape);
    return interval === undefined ? [] : [[name, interval] as const];
  });
  return {
    settings: settingsOf(cell, landscape),
    probability: resampled.resamples === 0 ? null : hits / resampled.resamples,
    intervals: Object.fromEntries(intervals),
  };
}

/** Share of resamples whose front has no knee; `null` where there is no resample. */
export function shareWithoutKnee({ resamples, knees }: Resampled): number | null {
  if (resamples === 0) return null;
  return knees.filter((knee) => knee === undefined).length / resamples;
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

/** Where a setting lies in the knees of resamples; `undefined` where too many of them have no number for it. */
function intervalOf(
  name: SettingName,
  knees: readonly TableCell[],
  landscape: Landscape,
): Interval | undefined {
  const values = knees.flatMap((cell) => numberOf(name, cell, landscape) ?? []);
  const isKnown = values.length > 0 && values.length >= CONFIDENCE * knees.length;
  return isKnown ? observedInterval(values) : undefined;
}

/** What a cell has for a setting; without a number of its own, what those cells have in which the same happens. */
function numberOf(name: SettingName, cell: TableCell, landscape: Landscape): number | undefined {
  const own = settingsOf(cell, landscape)[name];
  if (own !== undefined) return typeof own === 'number' ? own : undefined;
  const same = landscape.grid.filter(({ id }) => cell.same.includes(id));
  const [value, ...others] = new Set(same.flatMap(({ settings }) => settings[name] ?? []));
  return typeof value === 'number' && others.length === 0 ? value : undefined;
}
