import { type Axis, expandAxes, toChoice } from './axes.ts';
import type { Cell } from './cell.ts';
import { type CellChoice, type CellSources, resolveCell } from './resolve-cell.ts';

/** A full grid: the last axis changes fastest. */
export interface Grid {
  readonly axes: readonly Axis[];
  readonly cells: readonly Cell[];
}

/** The cells of a full grid over what is common to all. Throws `HarnessError` at a name that nothing has. */
export function buildGrid(base: CellChoice, axes: readonly Axis[], sources: CellSources): Grid {
  const points = expandAxes(axes);
  return { axes, cells: points.map((point) => resolveCell(toChoice(base, axes, point), sources)) };
}
