import type { TodayStatus } from '../../report/tune/tune-report.ts';
import { type Landscape, settingsOf, toAmounts } from './describe-front.ts';
import { distanceToFront, dominates, paretoFront, type Point } from './front.ts';
import type { Family } from './family.ts';
import { findFirst, findKnee } from './knee.ts';
import { meanPoints, toMatrix } from './resample.ts';
import type { TableCell, TuneTable } from './tune-table.ts';

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
