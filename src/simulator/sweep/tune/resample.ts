import { sum } from '../../sum.ts';
import { drawResamples } from '../../metrics/statistics/bootstrap.ts';
import { LEAST_OBSERVATIONS } from '../../metrics/statistics/interval.ts';
import type { Objective } from '../../report/tune/tune-report.ts';
import { paretoFront, type Point } from './front.ts';
import { findKnee } from './knee.ts';
import { type Family, meanOfFamily } from './family.ts';
import type { TableCell } from './tune-table.ts';

/** What each cell comes to in each family on each objective, by cell, objective and family; less is better. */
export type Matrix = readonly (readonly Float64Array[])[];

/** What happened to the front while the families were drawn again and again. */
export interface Resampled {
  readonly resamples: number;
  /** Those that are drawn again. */
  readonly families: number;
  /** Share of resamples in which each cell is on the front; nothing where there is no resample. */
  readonly membership: readonly number[];
  /** The knee of each resample; `undefined` where its front has none. */
  readonly knees: readonly (number | undefined)[];
  /** The points of each resample, on the first objective only. */
  readonly firstObjective: readonly Float64Array[];
}

const MOST_RESAMPLES = 1_000;
const LEAST_RESAMPLES = 200;
/** Additions after which fewer resamples have to do. */
const MOST_ADDITIONS = 300_000_000;

/** The mean amounts of some families, with their sign turned where more is better. */
export function toMatrix(
  cells: readonly TableCell[],
  families: readonly Family[],
  objectives: readonly Objective[],
): Matrix {
  return cells.map(({ observations }) =>
    objectives.map(({ metric, better }) => {
      const sign = better === 'lower' ? 1 : -1;
      const amountOf = (session: string) =>
        sign * (observations.get(session)?.values[metric] ?? Number.NaN);
      return Float64Array.from(families, (family) => meanOfFamily(family, amountOf));
    }),
  );
}

/** The mean of each cell on each objective. */
export function meanPoints(matrix: Matrix): readonly Point[] {
  return matrix.map((cell) => cell.map((values) => sum(values) / values.length));
}

/** Draws the families again and again, and looks each time where the front and its knee are; one family tells nothing. */
export function resampleFront(matrix: Matrix, families: number, seed: number): Resampled {
  const size = matrix.length * families * (matrix[0]?.length ?? 0);
  const affordable = Math.floor(MOST_ADDITIONS / Math.max(1, size));
  const wanted = Math.min(MOST_RESAMPLES, Math.max(LEAST_RESAMPLES, affordable));
  const resamples = families < LEAST_OBSERVATIONS ? 0 : wanted;
  const hits = new Float64Array(matrix.length);
  const knees: (number | undefined)[] = [];
  const firstObjective: Float64Array[] = [];
  drawResamples(families, { seed, resamples }, (drawn) => {
    const points = matrix.map((cell) => drawPoint(cell, drawn));
    const front = paretoFront(points);
    for (const index of front) hits[index] = (hits[index] ?? 0) + 1;
    knees.push(findKnee(front, points));
    firstObjective.push(Float64Array.from(points, ([first = Number.NaN]) => first));
  });
  const membership = resamples === 0 ? [] : Array.from(hits, (count) => count / resamples);
  return { resamples, families, membership, knees, firstObjective };
}

/** A cell's means over the families that were drawn. */
export function drawPoint(cell: Matrix[number], drawn: Uint32Array): Point {
  return cell.map((values) => meanOf(values, drawn));
}

function meanOf(values: Float64Array, drawn: Uint32Array): number {
  let total = 0;
  for (const index of drawn) total += values[index] ?? 0;
  return total / drawn.length;
}
