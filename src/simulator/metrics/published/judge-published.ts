import { sum } from '../../lib/collections.ts';
import type { TokenPrices } from '../../provider/prices.ts';
import { PERCENT } from '../../scenario/workload/draw.ts';
import type {
  Published,
  PublishedNumber,
  PublishedRange,
  PublishedShare,
  PublishedStatistic,
} from '../../scenario/workload/workload.ts';
import type { SessionSample } from '../../session/statistics/sample.ts';
import type { BootstrapOptions } from '../statistics/bootstrap.ts';
import { ratioOfTotals } from '../statistics/cost-ratio.ts';
import type { Estimate, Interval } from '../statistics/interval.ts';
import { pooledQuantile } from '../statistics/pooled-quantile.ts';
import { numbersOf } from './numbers.ts';
import { type PartOf, partsOf } from './shares.ts';

/** A published figure beside what generated sessions come to. */
export interface JudgedFigure {
  readonly figure: PublishedNumber | PublishedShare;
  /** `share` is in percent. */
  readonly statistic: PublishedStatistic | 'share';
  readonly published: PublishedRange;
  /** `null` where the sessions do not tell. */
  readonly generated: Estimate | null;
  /** Whether the interval reaches the published range, with its tolerance; `null` without an interval. */
  readonly isWithin: boolean | null;
}

/** What figures are judged by. */
export interface JudgeOptions {
  readonly seed: number;
  readonly prices: TokenPrices | undefined;
}

/** Enough for two digits, and not too slow for all the steps of many sessions. */
const RESAMPLES = 400;
const SHARES = { p25: 0.25, p50: 0.5, p90: 0.9, p99: 0.99 } as const;

/** All figures that a source gives, each beside what sessions come to. */
export function judgePublished(
  samples: readonly SessionSample[],
  published: readonly Published[],
  options: JudgeOptions,
): readonly JudgedFigure[] {
  return published.map((each) => {
    const generated = estimate(samples, each, options) ?? null;
    return {
      figure: each.figure,
      statistic: 'statistic' in each ? each.statistic : 'share',
      published: rangeOf(each),
      generated,
      isWithin: generated?.interval ? meets(generated.interval, each) : null,
    };
  });
}

function rangeOf({ low, high, tolerance }: Published): PublishedRange {
  return { low, high, ...(tolerance !== undefined && { tolerance }) };
}

function meets(interval: Interval, { low, high, tolerance = 0 }: PublishedRange): boolean {
  return interval.low <= high + tolerance && low - tolerance <= interval.high;
}

function estimate(
  samples: readonly SessionSample[],
  published: Published,
  { seed, prices }: JudgeOptions,
): Estimate | undefined {
  const options = { seed, resamples: RESAMPLES };
  if (!('statistic' in published)) {
    const partOf = partsOf[published.figure];
    const parts = samples.map((sample) => partOf({ sample, prices }));
    return ratioOf(
      parts.map(({ part, whole }) => ({ part: PERCENT * part, whole })),
      options,
    );
  }
  const numbers = samples.map(numbersOf[published.figure]);
  const { statistic } = published;
  if (statistic !== 'mean') return pooledQuantile(numbers, SHARES[statistic], options);
  const parts = numbers.map((own) => ({ part: sum(own), whole: own.length }));
  return ratioOf(parts, options);
}

/** Of all parts in all wholes; sessions without a whole say nothing. */
function ratioOf(parts: readonly PartOf[], options: BootstrapOptions): Estimate | undefined {
  const told = parts.filter(({ whole }) => whole > 0);
  return ratioOfTotals(
    told.map(({ part, whole }) => ({ a: whole, b: part })),
    options,
  );
}
