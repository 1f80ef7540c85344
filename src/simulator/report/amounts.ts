import { MS_PER_SECOND } from '../lib/units.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Estimate, Interval } from '../metrics/statistics/interval.ts';
import { formatFixed } from './fixed.ts';
import { formatEnds, withEnds } from './intervals.ts';
import { formatCount, formatFactor, formatUsd, UNKNOWN } from './numbers.ts';
import { formatPercent, percentOf } from './percent.ts';

/** Means below this are shown with their tenths. */
const SMALL = 10;
const DECIMALS = 1;
const MOST_DECIMALS = 4;
const RATIO_DECIMALS = 3;
const P_DECIMALS = 4;
const LEAST_P = 0.0001;

/** A mean or a difference, which need not be whole, as its unit is read. */
export function formatAmount(value: number, unit: Metric['unit']): string {
  switch (unit) {
    case 'usd':
      return formatUsd(value);
    case 'ratio':
      return formatPercent(value, DECIMALS);
    case 'factor':
      return formatFactor(value);
    case 'ms':
      return `${formatNumber(value / MS_PER_SECOND)} s`;
    case 'tokens':
    case 'count':
      return formatNumber(value);
  }
}

/** A difference with its sign; of two shares it is in points, for a percentage of either it is none. */
export function formatDifference(value: number, unit: Metric['unit']): string {
  const amount =
    unit === 'ratio'
      ? `${formatFixed(percentOf(value), DECIMALS)} points`
      : formatAmount(value, unit);
  return value > 0 && /[1-9]/.test(amount) ? `+${amount}` : amount;
}

/** A difference with its interval; unknown where the sample is too small for one. */
export function formatDifferenceInterval(interval: Interval | null, unit: Metric['unit']): string {
  if (interval === null) return UNKNOWN;
  return formatEnds(interval, (end) => formatDifference(end, unit));
}

/** A ratio with its interval, as in `0.812 (0.790 … 0.835)`. */
export function formatRatio({ value, interval }: Estimate): string {
  const shown = showRatio(value);
  return interval === null
    ? `${shown} (too few for an interval)`
    : withEnds(shown, interval, showRatio);
}

/** A p-value; very small ones only as such. */
export function formatP(pValue: number | null): string {
  if (pValue === null) return UNKNOWN;
  return pValue < LEAST_P ? `< ${LEAST_P}` : pValue.toFixed(P_DECIMALS);
}

function showRatio(ratio: number): string {
  return formatFixed(ratio, RATIO_DECIMALS);
}

function formatNumber(value: number): string {
  const isWhole = Number.isInteger(value) || Math.abs(value) >= SMALL;
  if (!isWhole) return Math.abs(value) < 1 ? withDigits(value) : formatFixed(value, DECIMALS);
  const rounded = Math.round(value);
  return rounded < 0 ? `-${formatCount(-rounded)}` : formatCount(rounded);
}

/** Two digits that tell it from nothing, where so many decimals do. */
function withDigits(value: number): string {
  const decimals = 1 - Math.floor(Math.log10(Math.abs(value)));
  return String(Number(value.toFixed(Math.min(MOST_DECIMALS, decimals))));
}
