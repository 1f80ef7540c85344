import { groupOfKey, sessionOfKey } from './address.js';

/** @import { PageData } from '../page-data.ts' */

const WHOLE_FROM_ONE = /^[1-9]\d*$/;

/**
 * @typedef {{ readonly view: 'overview' | 'nowhere' }
 *   | { readonly view: 'policy', readonly group: number }
 *   | { readonly view: 'session', readonly session: number }
 *   | { readonly view: 'step', readonly session: number, readonly step: number }} Route
 */

/**
 * The view to which the parts of an address lead; a step that is no number leads to its session.
 * @param {PageData} report
 * @param {readonly string[]} parts
 * @returns {Route}
 */
export function routeOf(report, [kind, key, below, step = '']) {
  if (kind === undefined) return { view: 'overview' };
  if (kind === 'policy') {
    const group = groupOfKey(report, key);
    return group < 0 ? { view: 'nowhere' } : { view: 'policy', group };
  }
  const session = kind === 'session' ? sessionOfKey(report, key) : -1;
  if (session < 0) return { view: 'nowhere' };
  if (below !== 'step' || !WHOLE_FROM_ONE.test(step)) return { view: 'session', session };
  return { view: 'step', session, step: Number(step) - 1 };
}
