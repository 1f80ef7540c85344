/** Numbers as people read them; an unknown one is a dash. */

import { formatDollars, groupThousands, MS_PER_SECOND, type Unit } from '../lib/units.ts';
import type { Estimate, Interval } from '../metrics/statistics/interval.ts';
import type { CountedFamilies } from '../metrics/statistics/verdict.ts';

export const UNKNOWN = '–';

const PERCENT = 100;
/** An expected count has a tenth. */
const TENTHS = 10;
const SMALL_CHANGE = 0.01;
const SMALL = 10;
const DECIMALS = 1;
const MOST_DECIMALS = 4;
const RATIO_DECIMALS = 3;
const LEAST_P = 0.0001;

export const FAMILY_COUNTS_ONCE =
  'Sessions of a family share their beginning and count once, by their mean.';

/** With a tenth where it is not whole. */
export function formatCount(value: number | null | undefined) {
  return value === null || value === undefined
    ? UNKNOWN
    : formatExact(Math.round(value * TENTHS) / TENTHS);
}

/** A number with all of its digits, the thousands before its point set apart. */
export function formatExact(value: number) {
  const [whole = '', ...decimals] = String(value).split('.');
  return [groupThousands(whole), ...decimals].join('.');
}

/** `1 run`, `1,200 runs`. */
export function countOf(count: number, word: string) {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** A part of a whole in percent; of nothing it is unknown. */
export function formatShare(part: number, whole: number, decimals = 0) {
  return whole === 0 ? UNKNOWN : `${formatFixed(percentOf(part, whole), decimals)} %`;
}

export function formatUsd(value: number | null) {
  return value === null ? UNKNOWN : formatDollars(value);
}

export function shownUsd(value: number) {
  return Number(formatDollars(value).replaceAll(/[$,]/g, ''));
}

export function formatValue(value: number | null, unit: Unit) {
  if (value === null) return UNKNOWN;
  if (unit === 'tokens' || unit === 'count') return formatCount(value);
  if (unit === 'ms') return `${formatCount(Math.round(value / MS_PER_SECOND))} s`;
  return formatAmount(value, unit);
}

/** Without a sign where it rounds to nothing. */
export function formatFixed(value: number, decimals: number) {
  const text = decimals === 0 ? String(Math.round(value)) : value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** With a sign where it does not round to nothing. */
export function formatSigned(value: number, decimals: number) {
  const text = formatFixed(value, decimals);
  return Number(text) > 0 ? `+${text}` : text.replace('-', '−');
}

export function percentOf(part: number, whole = 1) {
  return (PERCENT * part) / whole;
}

export function formatPercent(share: number, decimals = 0) {
  return `${formatFixed(percentOf(share), decimals).replace('-', '−')} %`;
}

export function formatSignedPercent(share: number, decimals: number) {
  return `${formatSigned(percentOf(share), decimals)} %`;
}

/** With its sign, a small one with its tenths. */
export function formatChange(change: number) {
  const isSmall = change !== 0 && Math.abs(change) < SMALL_CHANGE;
  return formatSignedPercent(change, isSmall ? 1 : 0);
}

/** `50 %`, `33.3 %`. */
export function formatShortPercent(share: number) {
  return `${Number(formatFixed(percentOf(share), 1))} %`;
}

/** A mean or a difference, which need not be whole. */
export function formatAmount(value: number, unit: Unit) {
  switch (unit) {
    case 'usd':
      return formatUsd(value);
    case 'ratio':
      return formatPercent(value, DECIMALS);
    case 'factor':
      return formatFixed(value, Math.abs(value) >= 1 ? 2 : RATIO_DECIMALS);
    case 'ms':
      return `${formatNumber(value / MS_PER_SECOND)} s`;
    case 'tokens':
    case 'count':
      return formatNumber(value);
  }
}

/** With its sign; of two shares in points. */
export function formatDifference(value: number, unit: Unit) {
  const amount =
    unit === 'ratio'
      ? `${formatFixed(percentOf(value), DECIMALS)} points`
      : formatAmount(value, unit);
  return value > 0 && /[1-9]/.test(amount) ? `+${amount}` : amount;
}

/** Unknown where the sample is too small. */
export function formatDifferenceInterval(interval: Interval | null, unit: Unit) {
  if (interval === null) return UNKNOWN;
  return formatEnds(interval, (end) => formatDifference(end, unit));
}

/** `0.812 (0.790 … 0.835)`. */
export function formatRatio({ value, interval }: Estimate) {
  const shown = showRatio(value);
  return interval === null
    ? `${shown} (too few for an interval)`
    : withEnds(shown, interval, showRatio);
}

export function formatP(pValue: number | null) {
  if (pValue === null) return UNKNOWN;
  return pValue < LEAST_P ? `< ${LEAST_P}` : pValue.toFixed(MOST_DECIMALS);
}

export function joinEnds(low: string, high: string) {
  return `${low} … ${high}`;
}

export function formatEnds({ low, high }: Interval, show: (end: number) => string) {
  return joinEnds(show(low), show(high));
}

export function withEnds(shown: string, interval: Interval | null, show: (end: number) => string) {
  return interval === null ? shown : `${shown} (${formatEnds(interval, show)})`;
}

export function knownInterval({
  low,
  high,
}: Readonly<Record<keyof Interval, number | null>>): Interval | null {
  return low === null || high === null ? null : { low, high };
}

/** Sessions, and families where not all are independent. */
export function describeFamilies({ sessions, families }: CountedFamilies) {
  const shown = countOf(sessions, 'session');
  return families === sessions ? shown : `${shown} in ${countFamilies(families)}`;
}

export function countFamilies(count: number) {
  return `${formatCount(count)} ${count === 1 ? 'family' : 'families'}`;
}

function formatNumber(value: number) {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= SMALL) return formatCount(Math.round(value));
  if (size >= 1) return formatFixed(value, DECIMALS);
  // Two digits that tell it from nothing.
  const decimals = 1 - Math.floor(Math.log10(size));
  return String(Number(value.toFixed(Math.min(MOST_DECIMALS, decimals))));
}

function showRatio(ratio: number) {
  return formatFixed(ratio, RATIO_DECIMALS);
}
