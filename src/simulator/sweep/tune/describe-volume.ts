import { drawResamples } from '../../metrics/statistics/bootstrap.ts';
import {
  type Interval,
  LEAST_OBSERVATIONS,
  percentileInterval,
} from '../../metrics/statistics/interval.ts';
import type { FrontVolume, ReferenceAmount } from '../../report/tune/tune-report.ts';
import { type Landscape, toAmounts } from './describe-front.ts';
import { EPSILON, type Point } from './front.ts';
import { hypervolume } from './hypervolume.ts';
import { drawPoint, type Matrix, meanPoints } from './resample.ts';

/** What a volume is measured with, besides the cells. */
export interface VolumeSources {
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

const RESAMPLES = 200;
/** Additions that a hypervolume may take, about. */
const MOST_ADDITIONS = 20_000_000;

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
      interval: isAffordable ? intervalOf({ matrix, control, families, seed }) : null,
    },
    today: today < 0 ? null : shareOf(points.slice(today, today + 1), box),
    reference: toAmounts(box.reference, objectives).map((amount, axis): ReferenceAmount | null => {
      const of = box.reference[axis] === reference[axis] ? 'none' : 'worst cell';
      return box.axes.includes(axis) ? { amount, of } : null;
    }),
  };
}

/** Where the share lies in resamples, each between its own corners: all costs of dear sessions are high. */
function intervalOf({ matrix, control, families, seed }: VolumeSources): Interval | null {
  const shares: number[] = [];
  drawResamples(families, { seed, resamples: RESAMPLES }, (drawn) => {
    const points = matrix.map((cell) => drawPoint(cell, drawn));
    const box = findBox(points, drawPoint(control, drawn));
    if (box.axes.length > 0) shares.push(shareOf(points, box));
  });
  return shares.length === 0 ? null : percentileInterval(shares, families);
}

function shareOf(points: readonly Point[], box: Box): number {
  return hypervolume(
    points.map((point) => normalise(point, box)),
    box.axes.map(() => 1),
  );
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

function normalise(point: Point, { axes, best, reference }: Box): Point {
  return axes.map((axis) => {
    const [low, high] = [best[axis] ?? 0, reference[axis] ?? 0];
    return ((point[axis] ?? high) - low) / (high - low);
  });
}
