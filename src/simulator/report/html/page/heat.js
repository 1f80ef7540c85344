import { shown } from './shown.js';

/** @import { PageData, PageGrid } from '../page-data.ts' */
/** @import { PlacedMetric } from './names.js' */

const FAINTEST = 0.12;
/** Deeper ones leave too little contrast to the number on them. */
const DEEPEST = 0.55;

/**
 * @typedef {object} Heat What a heat map shows of one metric.
 * @property {PageGrid} grid
 * @property {string} caption
 * @property {string} unit
 * @property {(group: number | null) => number | null} valueOf
 * @property {(group: number | null) => number | null} shadeOf Opacity, from faint for the least to deep for the most; `null` for what cannot be compared.
 */

/**
 * One metric over a grid.
 * @param {Pick<PageData, 'groups' | 'peers'>} report
 * @param {PageGrid} grid
 * @param {PlacedMetric} placed
 * @returns {Heat}
 */
export function heatOf({ groups, peers }, grid, [metric, index]) {
  const valueOf = (/** @type {number | null} */ group) =>
    group === null ? null : (groups[group]?.values[index] ?? null);
  const isPeer = (/** @type {number | null} */ group) => group !== null && peers[group] === true;
  const cells = grid.cells.flat();
  const values = cells
    .filter(isPeer)
    .map(valueOf)
    .filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shadeOf = (/** @type {number | null} */ group) => {
    const value = valueOf(group);
    if (value === null || !isPeer(group)) return null;
    return FAINTEST + (high === low ? 0 : ((DEEPEST - FAINTEST) * (value - low)) / (high - low));
  };
  const hasOthers = cells.some((group) => group !== null && !isPeer(group));
  const note = hasOthers ? '; unshaded: completed other runs, cannot be compared' : '';
  const rest = grid.rest ? `; ${shown(grid.rest)}` : '';
  const axes = `${shown(grid.rowKey)} and ${shown(grid.columnKey)}`;
  const caption = `${metric.label} by ${axes}${rest}${note}`;
  return { grid, caption, unit: metric.unit, valueOf, shadeOf };
}
