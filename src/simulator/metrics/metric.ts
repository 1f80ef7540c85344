import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { RunTotals } from './totals.ts';

/** A run's sums beside those of the bounds: the control that never compacts, and a prune that knows the future. */
export interface MetricInput {
  readonly run: RunTotals;
  readonly control: RunTotals;
  /** Of the same policy with a prune that knows the future, and with its own; absent where they are not known. */
  readonly bounds?: readonly RunTotals[] | undefined;
}

interface Description {
  readonly label: string;
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
}

/** One number about a run: what it is called, how it is measured, which way is better. */
export type Metric = Counted | Share;

/** A number that is read off the sums of a run. */
export interface Counted extends Description {
  readonly unit: 'tokens' | 'count' | 'usd' | 'ms';
  /** Of several runs the largest stands, where it is not their sum. */
  readonly ofSeveral?: 'largest';
  /** What a run in which no prune fired, and that has no such number, adds to those of others: another metric, or nothing. */
  readonly withoutPrune?: string | 0;
  /** `undefined` where it is unknown. */
  of(input: MetricInput): number | undefined;
}

/** A number that is one counted metric divided by another, of one run or of several taken together. */
export interface Share extends Description {
  /** A share is told in percent; what may well be more than the whole, as a factor. */
  readonly unit: 'ratio' | 'factor';
  readonly shareOf: readonly [part: string, whole: string];
}

/** Shares are rounded, so that they print the same everywhere. */
const SHARE_STEPS = 1_000_000;

/** Whether a metric is worked out from two others. */
export function isShare(metric: Metric): metric is Share {
  return 'shareOf' in metric;
}

/** A share; of nothing it is unknown. */
export function shareOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole === 0) return null;
  return Math.round((part / whole) * SHARE_STEPS) / SHARE_STEPS;
}

/** The sum of two amounts in dollars, exact to the nano-dollar. */
export function addUsd(some: number, more: number): number {
  return Math.round((some + more) * NANO_USD_PER_USD) / NANO_USD_PER_USD;
}

/** Dollars; unknown where the nano-dollars are. */
export function toUsd(nanoUsd: number | undefined): number | undefined {
  return nanoUsd === undefined ? undefined : nanoUsd / NANO_USD_PER_USD;
}
