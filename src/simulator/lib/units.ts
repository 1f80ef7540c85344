/** Units: milliseconds, dollars and nano-dollars. */

/** Nano-dollars of a dollar: money is counted in whole ones. */
export const NANO_USD_PER_USD = 1_000_000_000;
/** Pico-dollars of a nano-dollar: prices of single tokens are given in them. */
export const PICO_PER_NANO = 1_000;
/** Milliseconds of a second. */
export const MS_PER_SECOND = 1_000;
/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

const CENTS = 2;
/** Amounts below a dollar are told apart by their ten-thousandths. */
const SMALL_DECIMALS = 4;
const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** An amount of money, with a minus sign in front where what is shown is negative. */
export function formatDollars(usd: number): string {
  const small = Math.abs(usd).toFixed(SMALL_DECIMALS);
  const amount = Number(small) < 1 ? small : Math.abs(usd).toFixed(CENTS);
  const [whole = '', decimals = ''] = amount.split('.');
  const sign = usd < 0 && Number(amount) > 0 ? '-' : '';
  return `${sign}$${groupThousands(whole)}.${decimals}`;
}

/** The digits of a whole number with its thousands set apart. */
export function groupThousands(digits: string): string {
  return digits.replace(THOUSANDS, ',');
}
