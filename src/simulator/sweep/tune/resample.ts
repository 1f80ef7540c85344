import { createRandom } from '../../env.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import { LEAST_OBSERVATIONS } from '../../metrics/statistics/interval.ts';
import { drawResamples } from '../../metrics/statistics/mean-difference.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import { LEAST_PART, type Objective } from '../../report/tune-report.ts';
import { findKnee, paretoFront, type Point } from './front.ts';
import { type Family, meanOfFamily, type TableCell } from './tune-table.ts';

/** Values by cell, objective and family; less is better. */
export type Matrix = readonly (readonly Float64Array[])[];

/** The front over resampled families. */
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

/** A session with its size, by which sessions are spread over both parts. */
export interface SizedSession {
  readonly session: string;
  /** Name of its family; absent if it stands alone. */
  readonly family?: string | undefined;
  readonly size: number;
}

/** Sessions to tune on, and sessions that the outcome is reported on. */
export interface Split {
  readonly tuning: readonly Family[];
  /** Empty where all sessions are tuned on. */
  readonly heldOut: readonly Family[];
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

/**
 * Splits sessions so that both parts have small and large ones: in the order of size, one of every so many is held
 * out, which one the seed decides. A family goes as one, or settings would be tried on what they were chosen for.
 * Neither part is smaller than it may be; of too few for both none is held out.
 */
export function splitSessions(
  sessions: readonly SizedSession[],
  { share, seed }: { readonly share: number; readonly seed: number },
): Split {
  const ordered = toFamilies(sessions);
  const most = ordered.length - LEAST_PART;
  if (share === 0 || most < LEAST_PART) return { tuning: ordered, heldOut: [] };
  const wanted = Math.min(most, Math.max(LEAST_PART, Math.round(share * ordered.length)));
  const drawn = drawOneOfEach(ordered.length, wanted, createRandom(seed));
  return {
    tuning: ordered.filter((_, index) => !drawn.has(index)),
    heldOut: ordered.filter((_, index) => drawn.has(index)),
  };
}

function meanOf(values: Float64Array, drawn: Uint32Array): number {
  let total = 0;
  for (const index of drawn) total += values[index] ?? 0;
  return total / drawn.length;
}

/** In the order of their mean size. */
function toFamilies(sessions: readonly SizedSession[]): readonly Family[] {
  const bySize = sessions.toSorted((a, b) => a.size - b.size || compareTexts(a.session, b.session));
  const families = groupBy(bySize, clusterOf);
  return [...families.values()]
    .map((own) => ({
      sessions: own.map(({ session }) => session),
      size: own.reduce((total, { size }) => total + size, 0) / own.length,
    }))
    .toSorted(
      (a, b) => a.size - b.size || compareTexts(String(a.sessions[0]), String(b.sessions[0])),
    )
    .map(({ sessions: own }) => own);
}

/** As many indices as wanted, one of each of as many stretches of equal length. */
function drawOneOfEach(size: number, wanted: number, random: () => number): ReadonlySet<number> {
  const drawn = new Set<number>();
  for (let stretch = 0; stretch < wanted; stretch++) {
    let index = Math.floor(((stretch + random()) * size) / wanted);
    // A stretch begins where the one before ends, which may be within one session.
    while (drawn.has(index)) index = (index + 1) % size;
    drawn.add(index);
  }
  return drawn;
}
