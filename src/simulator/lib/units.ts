/** Units of time and money, and the format of dollars. */

/** Nano-dollars of a dollar; money is counted in whole nano-dollars. */
export const NANO_USD_PER_USD = 1_000_000_000;
/** Pico-dollars of a nano-dollar: prices of single tokens are given in them. */
export const PICO_PER_NANO = 1_000;
/** Milliseconds of a second. */
export const MS_PER_SECOND = 1_000;
/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

/** The unit of a number that reports show. */
export type Unit = 'tokens' | 'count' | 'usd' | 'ms' | 'ratio' | 'factor';

const CENTS = 2;
const SMALL_DECIMALS = 4;
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** Formats dollars: cents from one dollar on, four decimals below; a minus sign only if the shown amount is not zero. */
export function formatDollars(usd: number): string {
  const small = Math.abs(usd).toFixed(SMALL_DECIMALS);
  const amount = Number(small) < 1 ? small : Math.abs(usd).toFixed(CENTS);
  const [whole = '', decimals = ''] = amount.split('.');
  const sign = usd < 0 && Number(amount) > 0 ? '-' : '';
  return `${sign}$${groupThousands(whole)}.${decimals}`;
}

/** Groups the digits of a whole number by thousands. */
export function groupThousands(digits: string): string {
  return digits.replace(THOUSANDS, ',');
}
