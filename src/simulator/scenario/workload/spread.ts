import type { Distribution } from '../../session/statistics/distribution.ts';
import { QUANTILES } from '../../session/statistics/distribution.ts';

/** How numbers spread: values by the share of numbers that are not above them, the lowest share first. */
export interface Spread {
  /** Numbers that it was observed on; absent where that was not published. */
  readonly n?: number;
  readonly points: readonly (readonly [share: number, value: number])[];
}

/** What a share is multiplied by where its figure is in percent. */
export const PERCENT = 100;
const PERCENT_DIGITS = 3;

/** The value at a share in [0, 1): between two points, the logarithm of one more than the value grows evenly. */
export function valueAt({ points }: Spread, share: number): number {
  const above = points.findIndex(([upTo]) => share < upTo);
  const [highShare, high] = points.at(above) ?? [1, 0];
  const [lowShare, low] = above > 0 ? (points[above - 1] ?? [0, high]) : [0, high];
  if (above === -1 || highShare <= lowShare) return high;
  const part = (share - lowShare) / (highShare - lowShare);
  return Math.expm1(Math.log1p(low) + part * (Math.log1p(high) - Math.log1p(low)));
}

/** The share of numbers that are not above a value. */
export function shareOf({ points }: Spread, value: number): number {
  const above = points.findIndex(([, upTo]) => value < upTo);
  if (above === -1) return 1;
  const [highShare, high] = points[above] ?? [1, 0];
  const [lowShare, low] = points[above - 1] ?? [0, high];
  if (above === 0 || high <= low) return lowShare;
  const part = (Math.log1p(value) - Math.log1p(low)) / (Math.log1p(high) - Math.log1p(low));
  return lowShare + part * (highShare - lowShare);
}

/** What a distribution tells of how its numbers spread. */
export function toSpread(distribution: Distribution): Spread {
  const points = Object.entries(QUANTILES).map(
    ([name, share]) => [share, distribution[name as keyof typeof QUANTILES]] as const,
  );
  return { n: distribution.n, points };
}

/** A spread of shares, in percent. */
export function inPercent({ points, ...spread }: Spread): Spread {
  return { ...spread, points: points.map(([upTo, share]) => [upTo, percentOf(share)] as const) };
}

function percentOf(share: number): number {
  return Number((PERCENT * share).toFixed(PERCENT_DIGITS));
}
