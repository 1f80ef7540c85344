import { ticks } from './ticks.js';

/** @typedef {readonly [from: number, to: number]} Range */

const ROOM = 0.12;
/** Points that lie closer together than this part of the largest have an axis that does not begin at 0. */
const CLOSE = 0.4;
const ALMOST = 1e-9;

/**
 * From where to where an axis goes: from 0 on, unless its points lie close together far from that, or below it.
 * @param {readonly number[]} values
 * @returns {Range}
 */
export function rangeOf(values) {
  if (values.length === 0) return [0, 1];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = ROOM * (most - least);
  if (room === 0) return least < 0 ? [(1 + ROOM) * least, 0] : [0, (1 + ROOM) * most || 1];
  const isFarFromZero = least < 0 || most - least < CLOSE * most;
  return [isFarFromZero ? least - room : 0, most + room];
}

/**
 * Where a value lies in a range, from 0 to 1.
 * @param {number} value
 * @param {Range} range
 */
export function shareOf(value, [from, to]) {
  return (value - from) / (to - from);
}

/**
 * Round values of a range with their words, as exact as tells them apart.
 * @param {Range} range
 * @param {number} wanted
 * @param {string} unit
 * @returns {readonly (readonly [value: number, words: string])[]}
 */
export function ticksWithin([from, to], wanted, unit) {
  const [first = 0, second = to - from] = ticks(to - from, wanted);
  const step = second - first;
  const start = Math.ceil(from / step - ALMOST) * step;
  const many = Math.floor((to - start) / step + ALMOST) + 1;
  const values = Array.from({ length: many }, (_, index) => start + index * step);
  return values.map((value) => [value, tickWords(value, step, unit)]);
}

/**
 * @param {number} value
 * @param {number} step
 * @param {string} unit
 */
function tickWords(value, step, unit) {
  const inUnitsOf = (/** @type {number} */ size, one = value) => {
    const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - ALMOST));
    return String(Number((one / size).toFixed(decimals)));
  };
  if (unit === 'usd') return `${value < 0 ? '-' : ''}$${inUnitsOf(1, Math.abs(value))}`;
  if (unit === 'ratio') return `${inUnitsOf(0.01)} %`;
  if (Math.abs(value) >= 1e6) return `${inUnitsOf(1e6)}M`;
  return Math.abs(value) >= 1e3 ? `${inUnitsOf(1e3)}k` : inUnitsOf(1);
}
