import { drawResamples } from '../../metrics/statistics/bootstrap.ts';
import { percentileInterval } from '../../metrics/statistics/interval.ts';
import type { FrontVolume, ReferenceAmount } from '../../report/tune/tune-report.ts';
import { type Landscape, toAmounts } from './describe-front.ts';
import type { Point } from './front.ts';
import { hypervolume } from './hypervolume.ts';
import { type Matrix, meanOf } from './resample.ts';

/** What a volume is measured with, besides the cells. */
export interface VolumeSources {
  readonly matrix: Matrix;
  /** What the control that never compacts comes to; not a number where that is unknown. */
  readonly control: Point;
  readonly sessions: number;
  readonly seed: number;
}

/** The corners between which volumes are shares, on axes that have any extent. */
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
 * the worst cell. Absent where there is no cell, or where all come to the same. Source: evaluation design, 9.5.
 */
export function describeVolume(
  { cells, points, objectives }: Landscape,
  { matrix, control, sessions, seed }: VolumeSources,
): FrontVolume | undefined {
  const box = findBox(points, control);
  if (points.length === 0 || box.axes.length === 0) return undefined;
  const shareOf = (some: readonly Point[]) =>
    hypervolume(
      some.map((point) => normalise(point, box)),
      box.axes.map(() => 1),
    );
  const shares: number[] = [];
  const affordable = MOST_ADDITIONS / points.length ** Math.max(1, box.axes.length - 1);
  const resamples = Math.min(RESAMPLES, Math.floor(affordable));
  drawResamples(sessions, { seed, resamples }, (drawn) => {
    shares.push(shareOf(matrix.map((cell) => cell.map((values) => meanOf(values, drawn)))));
  });
  const today = cells.findIndex(({ isToday }) => isToday);
  return {
    share: {
      value: shareOf(points),
      interval: shares.length < RESAMPLES ? null : percentileInterval(shares),
    },
    today: today < 0 ? null : shareOf(points.slice(today, today + 1)),
    reference: toAmounts(box.reference, objectives).map(
      (amount, axis): ReferenceAmount => ({
        amount,
        of: box.reference[axis] === control[axis] ? 'none' : 'worst cell',
      }),
    ),
  };
}

function findBox(points: readonly Point[], control: Point): Box {
  const corners = control.map((own, axis) => {
    const values = points.map((point) => point[axis] ?? Number.NaN);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return own > least ? { best: least, reference: own } : { best: least, reference: most };
  });
  return {
    axes: [...corners.keys()].filter((axis) => {
      const corner = corners[axis];
      return corner !== undefined && corner.reference > corner.best;
    }),
    best: corners.map(({ best }) => best),
    reference: corners.map(({ reference }) => reference),
  };
}

/** Better than the best of all sessions a resample may be; that counts no more than the best. */
function normalise(point: Point, { axes, best, reference }: Box): Point {
  return axes.map((axis) => {
    const [low, high] = [best[axis] ?? 0, reference[axis] ?? 0];
    return Math.max(0, ((point[axis] ?? high) - low) / (high - low));
  });
}
