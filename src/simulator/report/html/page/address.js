/** @import { PageData } from '../page-data.ts' */
import { groupName } from './names.js';

/** The view that the address of the page asks for. */
export function address() {
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { parts, params: new URLSearchParams(query) };
}

/**
 * @param {string} path
 * @param {URLSearchParams} [params]
 */
function withParams(path, params) {
  const query = params === undefined ? '' : params.toString();
  return `#${path}${query === '' ? '' : `?${query}`}`;
}

/**
 * A name in an address; one with half a character in it cannot be there, its number can.
 * @param {string} name
 * @param {number} index
 */
function keyOf(name, index) {
  return name.isWellFormed() ? encodeURIComponent(name) : `~${index}`;
}

/**
 * Where a session stands among all, by its part of an address; -1 for none.
 * @param {PageData} report
 * @param {string} [key]
 */
export function sessionOfKey({ sessions }, key) {
  return sessions.findIndex((name, index) => keyOf(name, index) === key);
}

/**
 * Where a policy stands among all, by its part of an address; -1 for none.
 * @param {PageData} report
 * @param {string} [key]
 */
export function groupOfKey(report, key) {
  return report.groups.findIndex((_, index) => keyOf(groupName(report, index), index) === key);
}

/** @typedef {object} Place
 * @property {number} session
 * @property {number} [step]
 * @property {URLSearchParams} [params]
 */

/**
 * The address of a session, or of a step of it.
 * @param {PageData} report
 * @param {Place} place
 */
export function sessionHref(report, { session, step, params }) {
  const key = keyOf(report.sessions[session] ?? '', session);
  const end = step === undefined ? '' : `/step/${step + 1}`;
  return withParams(`/session/${key}${end}`, params);
}

/**
 * The address of a policy.
 * @param {PageData} report
 * @param {number} group
 */
export function policyHref(report, group) {
  return `#/policy/${keyOf(groupName(report, group), group)}`;
}

/**
 * Puts what is typed or ticked into the address, without a new page.
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  const { parts, params } = address();
  if (value === '') params.delete(name);
  else params.set(name, value);
  history.replaceState(null, '', withParams(`/${parts.join('/')}`, params));
}
