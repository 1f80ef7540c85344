/** Numbers as people read them; an unknown one is a dash. */

import type { Metric } from '../metrics/metric.ts';
import { MS_PER_SECOND } from '../units.ts';

/** What stands for a number that is unknown. */
export const UNKNOWN = '–';

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** An integer with its thousands set apart. */
export function formatCount(value: number | null): string {
  return value === null ? UNKNOWN : String(value).replace(THOUSANDS, ',');
}

/** A number with all of its digits, the thousands before its point set apart. */
export function formatExact(value: number): string {
  const [whole = '', ...decimals] = String(value).split('.');
  return [whole.replace(THOUSANDS, ','), ...decimals].join('.');
}

/** So many of something that has a plain plural: `1 run`, `1,200 runs`. */
export function countOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** A share in whole percent; of nothing it is unknown. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? UNKNOWN : `${Math.round((100 * part) / whole)} %`;
}

const USD_CENTS = 2;
/** Amounts below a dollar are told apart by their ten-thousandths. */
const SMALL_USD_DECIMALS = 4;

/** An amount of money, with a minus sign in front where what is shown is negative. */
export function formatUsd(value: number | null): string {
  if (value === null) return UNKNOWN;
  const small = Math.abs(value).toFixed(SMALL_USD_DECIMALS);
  const amount = Number(small) < 1 ? small : Math.abs(value).toFixed(USD_CENTS);
  const [whole = '', decimals = ''] = amount.split('.');
  const sign = value < 0 && Number(amount) > 0 ? '-' : '';
  return `${sign}$${whole.replace(THOUSANDS, ',')}.${decimals}`;
}

/** From this on a factor needs fewer decimals. */
const LARGE_FACTOR = 1;
const FACTOR_DECIMALS = 2;
const SMALL_FACTOR_DECIMALS = 3;

/** How many times one amount another one is. */
export function formatFactor(value: number): string {
  const isLarge = Math.abs(value) >= LARGE_FACTOR;
  return value.toFixed(isLarge ? FACTOR_DECIMALS : SMALL_FACTOR_DECIMALS);
}

/** A number as its unit is read. */
export function formatValue(value: number | null, unit: Metric['unit']): string {
  switch (unit) {
    case 'usd':
      return formatUsd(value);
    case 'ratio':
      return value === null ? UNKNOWN : `${(100 * value).toFixed(1)} %`;
    case 'factor':
      return value === null ? UNKNOWN : formatFactor(value);
    case 'ms':
      return value === null ? UNKNOWN : `${formatCount(Math.round(value / MS_PER_SECOND))} s`;
    case 'tokens':
    case 'count':
      return formatCount(value);
  }
}
