/** The interval of a ratio of two totals where most families are alike under both and a few large ones are not. */

import {
  AMOUNT,
  clip,
  CONFIDENCE,
  type Interval,
  LEAST_OBSERVATIONS,
  percentileInterval,
  tQuantile,
} from './interval.ts';
import { type BootstrapOptions, drawResamples } from './mean-difference.ts';

/** The least error of a resample, as a share of the sample's own: one of families that are all alike would be off by any number. */
const LEAST_ERROR = 0.1;

/** Totals of independent sessions. */
export interface FamilyTotals {
  readonly base: number;
  readonly arm: number;
  readonly differs: boolean;
}

/** Totals of the baseline, and how much more the arm has, by family. */
export interface Amounts {
  readonly base: Float64Array;
  readonly more: Float64Array;
}

interface Estimated {
  readonly share: number;
  readonly error: number;
}

/**
 * As wide as the widest of three: Student's t by the number of families that differ, the percentiles of resamples, and those of
 * how many standard errors each resample is off, which reach as far as the tail of costs does. Each alone is too narrow somewhere.
 * `null` of too few that differ. Source: Hesterberg, What Teachers Should Know About the Bootstrap (2015), section 4.
 */
export function ratioInterval(
  families: readonly FamilyTotals[],
  options: BootstrapOptions,
): Interval | null {
  const differing = families.filter(({ differs }) => differs).length;
  if (differing < LEAST_OBSERVATIONS) return null;
  const amounts = amountsOf(families);
  const { share, error } = estimateShare(
    amounts,
    new Uint32Array(families.length).map((_, index) => index),
  );
  if (!Number.isFinite(share)) return null;
  if (error === 0) return { low: 1 + share, high: 1 + share };
  const shares: number[] = [];
  const errorsOff: number[] = [];
  drawResamples(families.length, options, (drawn) => {
    const drawnOne = estimateShare(amounts, drawn);
    if (!Number.isFinite(drawnOne.share)) return;
    shares.push(drawnOne.share);
    errorsOff.push((drawnOne.share - share) / Math.max(drawnOne.error, LEAST_ERROR * error));
  });
  const reach = error * tQuantile((1 + CONFIDENCE) / 2, differing - 1);
  const drawnShares = percentileInterval(shares, families.length);
  const off = percentileInterval(errorsOff, families.length);
  const interval = {
    low: 1 + Math.min(share - reach, drawnShares.low, share - off.high * error),
    high: 1 + Math.max(share + reach, drawnShares.high, share - off.low * error),
  };
  return clip(interval, AMOUNT);
}

/** The amounts of families, in their order. */
export function amountsOf(families: readonly FamilyTotals[]): Amounts {
  const base = new Float64Array(families.length);
  const more = new Float64Array(families.length);
  for (const [index, family] of families.entries()) {
    base[index] = family.base;
    more[index] = family.arm - family.base;
  }
  return { base, more };
}

/** The estimate of the families at some places, each of which may be there again. */
export function estimateShare({ base, more }: Amounts, drawn: Uint32Array): Estimated {
  const { length } = drawn;
  let [first, second, ofBase, ofMore, ofBoth] = [0, 0, 0, 0, 0];
  for (const index of drawn) {
    const amount = base[index] ?? 0;
    const extra = more[index] ?? 0;
    first += amount;
    second += extra;
    ofBase += amount * amount;
    ofMore += extra * extra;
    ofBoth += amount * extra;
  }
  const share = second / first;
  const squares = Math.max(0, ofMore - 2 * share * ofBoth + share * share * ofBase);
  return { share, error: Math.sqrt((squares * length) / (length - 1)) / first };
}
