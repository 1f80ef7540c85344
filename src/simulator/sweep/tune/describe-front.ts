import {
  CONFIDENCE,
  type Interval,
  LEAST_OBSERVATIONS,
  observedInterval,
  percentileInterval,
} from '../../metrics/statistics/interval.ts';
import { drawResamples } from '../../metrics/statistics/mean-difference.ts';
import type {
  FrontMember,
  FrontVolume,
  Knee,
  NamedSettings,
  Objective,
  ReferenceAmount,
  TodayStatus,
  TunedPoint,
  TuneReport,
} from '../../report/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import {
  distanceToFront,
  dominates,
  EPSILON,
  findFirst,
  findKnee,
  hypervolume,
  paretoFront,
  type Point,
  thinFront,
} from './front.ts';
import { drawPoint, type Matrix, meanPoints, type Resampled, toMatrix } from './resample.ts';
import {
  type Family,
  meanOfFamily,
  type TableCell,
  type TuneCell,
  type TuneTable,
} from './tune-table.ts';

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

/** The means of measuring a volume, besides the cells. */
interface VolumeSources {
  readonly matrix: Matrix;
  /** A row as those of the matrix, of the control that never compacts; NaN where that is unknown. */
  readonly control: Matrix[number];
  readonly families: number;
  readonly seed: number;
}

/** The corners between which volumes are shares, on axes along which they are farther apart than counts as none. */
interface Box {
  readonly axes: readonly number[];
  readonly best: Point;
  readonly reference: Point;
}

/** Metrics that every front needs, whatever is asked for: without a prune there is no bound to show. */
export const SHOWN_METRICS = ['misses', 'boundMisses', 'prunes'] as const;

const RESAMPLES = 200;
/** Additions that a hypervolume may take, about. */
const MOST_ADDITIONS = 20_000_000;

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
  const members = findMembers(landscape).flatMap((index) => {
    const [cell, point] = [cells[index], feasible[index]];
    if (cell === undefined || point === undefined) return [];
    const misses = {
      mean: meanOf('misses', cell, families),
      bestKnown:
        meanOf('prunes', cell, families) === 0 ? null : meanOf('boundMisses', cell, families),
    };
    return [{ ...point, probability: resampled.membership[index] ?? null, misses }];
  });
  const least = Math.min(...members.flatMap(({ misses }) => misses.mean ?? []));
  return members.map(({ misses, ...member }) => {
    const { bestKnown } = misses;
    const own = bestKnown === null ? null : Math.min(bestKnown, least);
    return { ...member, misses: { ...misses, bestKnown: own } };
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
): TodayStatus {
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

/**
 * How much of what lies between the best of each objective and a reference point the cells cover. The control is
 * the reference of all objectives on which anything beats it; of the others, such as misses, which it never has,
 * the worst cell. Absent where there is no cell, or where all come to about the same. Source: evaluation design, section 9.5.
 */
export function describeVolume(
  { cells, points, objectives }: Landscape,
  { matrix, control, families, seed }: VolumeSources,
): FrontVolume | undefined {
  const [reference = []] = meanPoints([control]);
  const box = findBox(points, reference);
  if (points.length === 0 || box.axes.length === 0) return undefined;
  const affordable = MOST_ADDITIONS / points.length ** Math.max(1, box.axes.length - 1);
  const isAffordable = families >= LEAST_OBSERVATIONS && affordable >= RESAMPLES;
  const today = cells.findIndex(({ isToday }) => isToday);
  return {
    share: {
      value: shareOf(points, box),
      interval: isAffordable ? intervalOfDescribeVolume({ matrix, control, families, seed }) : null,
    },
    today: today < 0 ? null : shareOf(points.slice(today, today + 1), box),
    reference: toAmounts(box.reference, objectives).map((amount, axis): ReferenceAmount | null => {
      const of = box.reference[axis] === reference[axis] ? 'none' : 'worst cell';
      return box.axes.includes(axis) ? { amount, of } : null;
    }),
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

/** A cell's value of a setting; without one of its own, that of cells with the same results. */
function numberOf(name: SettingName, cell: TableCell, landscape: Landscape): number | undefined {
  const own = settingsOf(cell, landscape)[name];
  if (own !== undefined) return typeof own === 'number' ? own : undefined;
  const same = landscape.grid.filter(({ id }) => cell.same.includes(id));
  const [value, ...others] = new Set(same.flatMap(({ settings }) => settings[name] ?? []));
  return typeof value === 'number' && others.length === 0 ? value : undefined;
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

function findBox(points: readonly Point[], control: Point): Box {
  const corners = control.map((own, axis) => {
    const values = points.map((point) => point[axis] ?? Number.NaN);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return own > least ? { best: least, reference: own } : { best: least, reference: most };
  });
  return {
    axes: corners.flatMap((corner, axis) =>
      corner.reference - corner.best > EPSILON * Math.abs(corner.reference) ? [axis] : [],
    ),
    best: corners.map(({ best }) => best),
    reference: corners.map(({ reference }) => reference),
  };
}

function shareOf(points: readonly Point[], box: Box): number {
  return hypervolume(
    points.map((point) => normalise(point, box)),
    box.axes.map(() => 1),
  );
}

function normalise(point: Point, { axes, best, reference }: Box): Point {
  return axes.map((axis) => {
    const [low, high] = [best[axis] ?? 0, reference[axis] ?? 0];
    return ((point[axis] ?? high) - low) / (high - low);
  });
}

/** Where the share lies in resamples, each between its own corners: all costs of dear sessions are high. */
function intervalOfDescribeVolume({
  matrix,
  control,
  families,
  seed,
}: VolumeSources): Interval | null {
  const shares: number[] = [];
  drawResamples(families, { seed, resamples: RESAMPLES }, (drawn) => {
    const points = matrix.map((cell) => drawPoint(cell, drawn));
    const box = findBox(points, drawPoint(control, drawn));
    if (box.axes.length > 0) shares.push(shareOf(points, box));
  });
  return shares.length === 0 ? null : percentileInterval(shares, families);
}
