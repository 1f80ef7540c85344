import { el } from './elements.js';

/**
 * A colour by which something is found again; hollow for what nobody can choose.
 * @param {string} color
 * @param {boolean} [isHollow]
 */
export function swatch(color, isHollow = false) {
  return el('span', { class: isHollow ? 'swatch hollow' : 'swatch', style: `color:${color}` });
}
