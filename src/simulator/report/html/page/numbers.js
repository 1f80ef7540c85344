/** Stands for a number that is unknown. */
export const UNKNOWN = '–';

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;
const NOT_ZERO = /[1-9]/;

const MOST_DECIMALS = 4;

export const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;
/** Shorter times are told in hours. */
const FIRST_HOURS_IN_DAYS = 48;

/** @typedef {number | null | undefined} MaybeNumber */

/**
 * A number with its thousands set apart; a fraction only as exact as its size needs.
 * @param {MaybeNumber} value
 */
export function count(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const text = countOfSize(Math.abs(value));
  return value < 0 && NOT_ZERO.test(text) ? `-${text}` : text;
}

/** @param {number} size */
function countOfSize(size) {
  if (Number.isInteger(size) || size >= 10) return grouped(String(Math.round(size)));
  if (size >= 1) return size.toFixed(1);
  const decimals = Math.min(MOST_DECIMALS, 1 - Math.floor(Math.log10(size)));
  return String(Number(size.toFixed(decimals)));
}

/** @param {string} digits */
function grouped(digits) {
  return digits.replace(THOUSANDS, ',');
}

/**
 * So many of something that has a plain plural.
 * @param {number} value
 * @param {string} word
 */
export function counted(value, word) {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}

/** @param {number} value */
function usd(value) {
  const small = Math.abs(value).toFixed(MOST_DECIMALS);
  const amount = Number(small) < 1 ? small : Math.abs(value).toFixed(2);
  const [whole = '', decimals = ''] = amount.split('.');
  return `${value < 0 && Number(small) > 0 ? '-' : ''}$${grouped(whole)}.${decimals}`;
}

/**
 * A number with so many decimals; what rounds to nothing has no sign.
 * @param {number} value
 * @param {number} decimals
 */
function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  return NOT_ZERO.test(text) ? text : text.replace('-', '');
}

/**
 * A number as its unit is read.
 * @param {MaybeNumber} value
 * @param {string} unit
 */
export function inUnit(value, unit) {
  if (value === null || value === undefined) return UNKNOWN;
  if (unit === 'usd') return usd(value);
  if (unit === 'ratio') return `${fixed(100 * value, 1).replace('-', '−')} %`;
  if (unit === 'factor') return fixed(value, Math.abs(value) >= 1 ? 2 : 3);
  if (unit === 'ms') return `${count(Math.round(value / MS_PER_SECOND))} s`;
  return count(value);
}

/**
 * A difference with its sign.
 * @param {MaybeNumber} value
 */
export function signed(value, unit = 'count') {
  const text = inUnit(value, unit);
  return typeof value === 'number' && value > 0 && NOT_ZERO.test(text) ? `+${text}` : text;
}

/**
 * A number for the side of a chart.
 * @param {number} value
 * @returns {string}
 */
export function short(value) {
  if (value < 0) return `-${short(-value)}`;
  if (value >= 1e6) return `${toThreeDigits(value / 1e6)}M`;
  if (value >= 1e3) return `${toThreeDigits(value / 1e3)}k`;
  return toThreeDigits(value);
}

/** @param {number} value */
function toThreeDigits(value) {
  return String(Number(value.toPrecision(3)));
}

/**
 * A time as people say it.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < MS_PER_MINUTE) return `${Math.round(ms / MS_PER_SECOND)} s`;
  const allMinutes = Math.round(ms / MS_PER_MINUTE);
  if (allMinutes < MINUTES_PER_HOUR) return `${allMinutes} min`;
  const hours = Math.floor(allMinutes / MINUTES_PER_HOUR);
  if (ms >= FIRST_HOURS_IN_DAYS * MINUTES_PER_HOUR * MS_PER_MINUTE) {
    return `${Math.floor(hours / HOURS_PER_DAY)} d ${hours % HOURS_PER_DAY} h`;
  }
  const minutes = allMinutes % MINUTES_PER_HOUR;
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}
