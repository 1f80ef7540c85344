import type { Distribution } from '../../session/statistics/distribution.ts';
import { QUANTILES } from '../../session/statistics/distribution.ts';
import { solveRising } from './solve-rising.ts';

/** How numbers spread: values by the share of numbers that are not above them, the lowest share first. */
export interface Spread {
  /** Numbers that it was observed on; absent where that was not published. */
  readonly n?: number;
  readonly points: readonly (readonly [share: number, value: number])[];
  /** How late values rise between two points: evenly at 1 and where it is absent, later above it. */
  readonly bend?: number;
}

/** What a share is multiplied by where its figure is in percent. */
export const PERCENT = 100;
const PERCENT_DIGITS = 3;

/** Means that differ by less than this part are the same. */
const NEAR_ENOUGH = 0.002;
/** How far spreads are bent at most, as a logarithm. */
export const MOST_BEND = 1.5;
const BEND_DIGITS = 4;
/** Shares that a mean is worked out from. */
const MEAN_STEPS = 2_000;

/**
 * The value at a share in [0, 1): between two points, the logarithm of one more than the value grows, evenly unless the
 * spread is bent.
 */
export function valueAt({ points, bend = 1 }: Spread, share: number): number {
  const above = points.findIndex(([upTo]) => share < upTo);
  const [highShare, high] = points.at(above) ?? [1, 0];
  const [lowShare, low] = above > 0 ? (points[above - 1] ?? [0, high]) : [0, high];
  if (above === -1 || highShare <= lowShare) return high;
  const part = ((share - lowShare) / (highShare - lowShare)) ** bend;
  return Math.expm1(Math.log1p(low) + part * (Math.log1p(high) - Math.log1p(low)));
}

/** A share with its odds multiplied by the exponential of a shift: as before at 0, larger above it, never past an end. */
export function shiftShare(share: number, shift: number): number {
  if (shift === 0) return share;
  const odds = share * Math.exp(shift);
  return odds / (1 - share + odds);
}

/** The share of numbers that are not above a value. */
export function shareOf({ points, bend = 1 }: Spread, value: number): number {
  const above = points.findIndex(([, upTo]) => value < upTo);
  if (above === -1) return 1;
  const [highShare, high] = points[above] ?? [1, 0];
  const [lowShare, low] = points[above - 1] ?? [0, high];
  if (above === 0 || high <= low) return lowShare;
  const part = (Math.log1p(value) - Math.log1p(low)) / (Math.log1p(high) - Math.log1p(low));
  return lowShare + part ** (1 / bend) * (highShare - lowShare);
}

/** The spread bent until it has a mean, or comes as near as it may: quantiles alone leave open how values lie between them. */
export function bendTo(spread: Spread, mean: number): Spread {
  if (Math.abs(meanOf(spread) - mean) <= NEAR_ENOUGH * mean) return spread;
  const meanAt = (bend: number) => -meanOf({ ...spread, bend: Math.exp(bend) });
  const bend = Math.exp(solveRising(meanAt, -mean, { least: -MOST_BEND, most: MOST_BEND }));
  return { ...spread, bend: Number(bend.toFixed(BEND_DIGITS)) };
}

/** The mean of numbers that spread so. */
export function meanOf(spread: Spread): number {
  let sum = 0;
  for (let step = 0; step < MEAN_STEPS; step++) sum += valueAt(spread, (step + 0.5) / MEAN_STEPS);
  return sum / MEAN_STEPS;
}

/** What a distribution tells of how its numbers spread. */
export function toSpread(distribution: Distribution): Spread {
  const points = Object.entries(QUANTILES).map(
    ([name, share]) => [share, distribution[name as keyof typeof QUANTILES]] as const,
  );
  return bendTo({ n: distribution.n, points }, distribution.mean);
}

/** The spread with all lower values raised to one. */
export function notBelow({ points, ...spread }: Spread, least: number): Spread {
  return { ...spread, points: points.map(([share, value]) => [share, Math.max(least, value)]) };
}

/** A spread of shares, in percent. */
export function inPercent({ points, ...spread }: Spread): Spread {
  return { ...spread, points: points.map(([upTo, share]) => [upTo, percentOf(share)] as const) };
}

function percentOf(share: number): number {
  return Number((PERCENT * share).toFixed(PERCENT_DIGITS));
}
