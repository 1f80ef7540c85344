import { createRandom } from '../../env.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import { LEAST_PART, type Objective } from '../../report/tune-report.ts';
import type { Point } from './front.ts';
import { type Family, meanOfFamily, type TableCell } from './tune-table.ts';

/** Values by cell, objective and family; less is better. */
export type Matrix = readonly (readonly Float64Array[])[];

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
