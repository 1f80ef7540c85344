import { el } from './elements.js';
import { shown } from './shown.js';

/**
 * A path that may go on in another line behind each of its slashes, rather than anywhere.
 * @param {string} path
 */
export function brokenAtSlashes(path) {
  const [first = '', ...others] = shown(path).split('/');
  return [first, ...others.flatMap((name) => ['/', el('wbr'), name])];
}
