/** Units: milliseconds, dollars and nano-dollars. */

/** Nano-dollars of a dollar: money is counted in whole ones. */
export const NANO_USD_PER_USD = 1_000_000_000;
/** Pico-dollars of a nano-dollar: prices of single tokens are given in them. */
export const PICO_PER_NANO = 1_000;
/** Milliseconds of a second. */
export const MS_PER_SECOND = 1_000;
/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;
