import { NANO_USD_PER_USD } from '../lib/units.ts';
import type { RunTotals, StepTotals } from './totals.ts';

/** A run that savings are measured against: as it was recorded, or that which never compacts. */
export interface Baseline {
  readonly name: 'recorded' | 'none';
  readonly totals: RunTotals;
}

/** A run's sums beside those that it is measured against: the baseline of savings, and a prune that knows the future. */
export interface MetricInput {
  readonly run: RunTotals;
  /** Absent where there is none: without recorded usage, a run that never compacts and exceeds the window cannot exist. */
  readonly baseline?: Baseline | undefined;
  /** Of the same policy with a prune that knows the future, and with its own; absent where they are not known. */
  readonly bounds?: readonly RunTotals[] | undefined;
}

interface Description {
  readonly label: string;
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
}

/** One number about a run: its title, its measure, and the better direction. */
export type Metric = Counted | Share;

/** A number that is read off the sums of a run. */
export interface Counted extends Description {
  readonly unit: 'tokens' | 'count' | 'usd' | 'ms';
  /** The largest value of several runs, instead of their sum. */
  readonly ofSeveral?: 'largest';
  /** The contribution of a run without a fired prune and without this number: another metric's value, or 0. */
  readonly withoutPrune?: string | 0;
  /** `undefined` where it is unknown. */
  of(input: MetricInput): number | undefined;
}

/** A number that is one counted metric divided by another, of one run or of several taken together. */
export interface Share extends Description {
  /** A share is shown in percent; a value that may exceed the whole, as a factor. */
  readonly unit: 'ratio' | 'factor';
  readonly shareOf: readonly [part: string, whole: string];
}

/** A metric as a table lists it: without a unit a count, and without `of` the sum of its name. */
export type MetricRow =
  | Share
  | (Omit<Counted, 'of' | 'unit'> & Partial<Pick<Counted, 'of' | 'unit'>>);

type More = Partial<Omit<Counted, keyof Description>> | Omit<Share, keyof Description>;

/** Shares are rounded, so that they print the same everywhere. */
const SHARE_STEPS = 1_000_000;

export function plain(label: string, describes: string, more: More = {}): MetricRow {
  return { label, describes, ...more };
}

export function lower(label: string, describes: string, more: More = {}): MetricRow {
  return { label, better: 'lower', describes, ...more };
}

export function higher(label: string, describes: string, more: More = {}): MetricRow {
  return { label, better: 'higher', describes, ...more };
}

/** Tests if a metric is the ratio of two others. */
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

/** Tokens that a run sent less than its baseline, net of summary calls. */
export function savedTokens(input: MetricInput): number | undefined {
  return savedOf(input, ({ contextTokens, summaryTokens }) => [contextTokens, summaryTokens]);
}

/** Dollars that a run cost less than its baseline; unknown where a price is. */
export function savedUsd(input: MetricInput): number | undefined {
  if (input.run.costs === undefined || input.baseline?.totals.costs === undefined) return undefined;
  return toUsd(savedOf(input, ({ nanoUsd, summaryNanoUsd }) => [nanoUsd, summaryNanoUsd]));
}

/** Over common steps and the summary calls up to the run's last; unknown without a common step. */
function savedOf(
  { run, baseline }: MetricInput,
  spentOn: (step: StepTotals) => readonly [ofStep: number, ofSummaries: number],
): number | undefined {
  if (baseline === undefined || run.isImpossible) return undefined;
  let isShared = run.steps === 0;
  let saved = 0;
  for (const [step, own] of run.byStep) {
    const other = baseline.totals.byStep.get(step);
    const [ofStep, ofSummaries] = spentOn(own);
    const [otherStep, otherSummaries] = other ? spentOn(other) : [0, 0];
    saved += otherSummaries - ofSummaries;
    if (!other?.isAnswered || !own.isAnswered) continue;
    isShared = true;
    saved += otherStep - ofStep;
  }
  return isShared ? saved : undefined;
}
