import { el } from './elements.js';
import { colorOf } from './names.js';

/** @import { PageRun } from '../page-data.ts' */

/**
 * The colour of a run.
 * @param {Pick<PageRun, 'g'>} run
 */
export function swatch({ g }) {
  return el('span', { class: 'swatch', style: `color:${colorOf(g)}` });
}
