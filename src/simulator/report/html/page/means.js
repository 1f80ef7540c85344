import { count } from './numbers.js';

/** @import { PageMean } from '../page-data.ts' */

/**
 * From where to where a mean may be; nothing where there are too few sessions.
 * @param {{ readonly low: number | null, readonly high: number | null }} mean
 * @param {(value: number) => string} words
 */
export function interval({ low, high }, words) {
  return low === null || high === null ? undefined : `${words(low)} to ${words(high)}`;
}

/**
 * How many sessions a mean is of; a family of sessions counts once.
 * @param {Pick<PageMean, 'sessions' | 'families'>} mean
 */
export function sessionsCell({ sessions, families }) {
  if (families === undefined) return { text: count(sessions), value: sessions };
  const word = families === 1 ? 'family' : 'families';
  return { text: `${count(sessions)} in ${count(families)} ${word}`, value: families };
}

/**
 * The sentence on families, where there are any.
 * @param {readonly PageMean[]} means
 */
export function familyNote(means) {
  if (means.every(({ families }) => families === undefined)) return '';
  return '; sessions of a family share their beginning and count once, by their mean';
}
