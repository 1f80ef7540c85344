/** Numbers as people read them; an unknown one is a dash. */

import { formatDollars, groupThousands, MS_PER_SECOND } from '../lib/units.ts';
import type { Metric } from '../metrics/metric.ts';
import { formatFixed } from './fixed.ts';
import { formatPercent, percentOf } from './percent.ts';

/** What stands for a number that is unknown. */
export const UNKNOWN = '–';

/** From this on a factor needs fewer decimals. */
const LARGE_FACTOR = 1;
const FACTOR_DECIMALS = 2;
const SMALL_FACTOR_DECIMALS = 3;

/** An integer with its thousands set apart. */
export function formatCount(value: number | null): string {
  return value === null ? UNKNOWN : groupThousands(String(value));
}

/** A number with all of its digits, the thousands before its point set apart. */
export function formatExact(value: number): string {
  const [whole = '', ...decimals] = String(value).split('.');
  return [groupThousands(whole), ...decimals].join('.');
}

/** So many of something that has a plain plural: `1 run`, `1,200 runs`. */
export function countOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** A part of a whole in percent; of nothing it is unknown. */
export function formatShare(part: number, whole: number, decimals = 0): string {
  return whole === 0 ? UNKNOWN : `${formatFixed(percentOf(part, whole), decimals)} %`;
}

/** An amount of money, with a minus sign in front where what is shown is negative. */
export function formatUsd(value: number | null): string {
  return value === null ? UNKNOWN : formatDollars(value);
}

/** How many times one amount another one is. */
export function formatFactor(value: number): string {
  const isLarge = Math.abs(value) >= LARGE_FACTOR;
  return formatFixed(value, isLarge ? FACTOR_DECIMALS : SMALL_FACTOR_DECIMALS);
}

/** A number as its unit is read. */
export function formatValue(value: number | null, unit: Metric['unit']): string {
  switch (unit) {
    case 'usd':
      return formatUsd(value);
    case 'ratio':
      return value === null ? UNKNOWN : formatPercent(value, 1);
    case 'factor':
      return value === null ? UNKNOWN : formatFactor(value);
    case 'ms':
      return value === null ? UNKNOWN : `${formatCount(Math.round(value / MS_PER_SECOND))} s`;
    case 'tokens':
    case 'count':
      return formatCount(value);
  }
}
